# Two commands for a newcomer: `make run` plays, `make test` proves.
PYTHON ?= python3
VENV := .venv
PAGE := host/scharten/display/static
BIN := $(VENV)/bin
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
# uv is used where it is there, because it is quicker; nothing needs it but `make lock` and `make audit`.
UV := $(shell command -v uv 2>/dev/null)
UV_INSTALL := VIRTUAL_ENV=$(abspath $(VENV)) $(UV) pip install -q --no-deps
LOCKED := $(if $(UV),$(UV_INSTALL) --require-hashes -r,$(BIN)/python deploy/install_locked.py)
# Compiled modules are kept whatever the shell says: without them every start compiles the program anew.
export PYTHONDONTWRITEBYTECODE :=
export SCHARTEN_URL SIGN_KEY BASE

.DEFAULT_GOAL := help
.PHONY: help run test check javascript lock audit sbom dist dist-fast test-fast artefacts apt-repo release-ready release tools trial-brokers docs docs-serve screenshots pictures deb addon image container trust machine fuzz licences bench problems bench-play bench-setup bench-eyes firmware clean

help:  ## what each target does
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(VENV)/run.stamp: requirements.lock pyproject.toml
	$(if $(UV),$(UV) venv -q --seed --allow-existing --python "$$(command -v $(PYTHON))" $(VENV),$(PYTHON) -m venv $(VENV))
	$(LOCKED) requirements.lock $(if $(UV),&& $(UV_INSTALL) --editable .,--editable)
	$(PYTHON) deploy/relative_paths.py $(VENV)
	@touch $@

$(VENV)/test.stamp: $(VENV)/run.stamp tests/requirements.lock
	$(LOCKED) tests/requirements.lock
	@touch $@

run: $(VENV)/run.stamp  ## play: daemon, simulated board and display on this machine
	$(BIN)/scharten run $(ARGS)

tests/javascript/node_modules/.package-lock.json: tests/javascript/package.json tests/javascript/package-lock.json
	cd tests/javascript && npm ci --silent --no-audit --no-fund
	@touch $@

javascript: tests/javascript/node_modules/.package-lock.json  ## linters of the pages, and the types of their scripts (needs npm)
	tests/javascript/node_modules/.bin/eslint --max-warnings 0 --config tests/javascript/eslint.config.js $(PAGE) calibration
	tests/javascript/node_modules/.bin/tsc -p tests/javascript
	tests/javascript/node_modules/.bin/stylelint --config tests/javascript/stylelint.config.js "$(PAGE)/**/*.css" "calibration/**/*.css"
	node tests/javascript/texts.js
	node tests/javascript/layers.js

check: $(VENV)/test.stamp javascript  ## style, types, words, spelling, import direction and declared packages (needs npm)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry host calibration
	$(BIN)/python tests/plain_english.py
	$(BIN)/codespell host calibration tests firmware docs deploy hardware_docs .github *.md Makefile

tools:  ## list and install the Debian packages of the tests (ARGS=all: compilers and simulators too)
	@sh tests/install_tools.sh $(ARGS)

# Four workers on two cores: many tests wait for a broker or a page. Six were no quicker, and failed more often.
test: $(VENV)/test.stamp  ## every test that this machine can run; a closing block names the others and what they lack
	$(BIN)/pytest -n 4 --dist worksteal $(ARGS)

trial-brokers: $(VENV)/test.stamp  ## install RabbitMQ, NATS and ejabberd, and compare each with docs/brokers.md
	@sh tests/install_tools.sh trial
	$(BIN)/pytest -m trial tests/club_broker $(ARGS)

firmware:  ## the firmware for the Mega and the Uno, with sizes (needs gcc-avr and avr-libc)
	$(MAKE) -C firmware

trust: $(VENV)/test.stamp  ## every fault and attack in full, with one table (ARGS=--short for a tenth, ARGS=--planted for planted faults)
	PYTHONPATH=tests $(BIN)/python -m lab.trust.run $(ARGS)

machine: $(VENV)/test.stamp  ## evenings at a whole emulated machine, written into docs/trust.md (ARGS=--short; root, and make tools ARGS=machine)
	PYTHONPATH=tests $(BIN)/python -m lab.machine.run $(ARGS)

fuzz: $(VENV)/test.stamp  ## feed every parser for a minute, six at a time; faults are kept as tests (ARGS="--seconds 600")
	PYTHONPATH=tests $(BIN)/python -m lab.trust.fuzz_run $(ARGS)

licences: $(VENV)/test.stamp  ## the licence of each locked package; fails when one does not go with ours
	PYTHONPATH=tests $(BIN)/python -m lab.packages licences requirements.lock

bench: $(VENV)/test.stamp  ## one benchmark, figures beside targets (ARGS=rules; without ARGS, the list)
	PYTHONPATH=tests $(BIN)/python -m lab $(ARGS)

.PHONY: openings
openings: dist-fast  ## play levels against each other, and write docs/knowledge.md from it; a stopped run goes on (ARGS=--games=5000)
	$(BIN)/python -m zipfile -e build/dist-fast/*.whl build/dist-fast/unpacked
	PYTHONPATH=build/dist-fast/unpacked:tests $(BIN)/python -m lab.knowledge $(ARGS)

problems: $(VENV)/test.stamp  ## compose the problems that ship, from self-play; a stopped run goes on (ARGS="--wanted 500 --seed 2")
	PYTHONPATH=tests $(BIN)/python -m lab.problems $(ARGS)

bench-setup: $(VENV)/test.stamp  ## seconds from a bare clone to the first page, with uv and with pip
	PYTHONPATH=tests $(BIN)/python -m lab setup $(ARGS)

bench-play: dist-fast  ## the computer's strength in machine code, level against level; a stopped run goes on (bench ARGS=play: in Python)
	$(BIN)/python -m zipfile -e build/dist-fast/*.whl build/dist-fast/unpacked
	PYTHONPATH=build/dist-fast/unpacked:tests $(BIN)/python -m lab play $(ARGS)

dist-fast: $(VENV)/test.stamp  ## build/dist-fast: a wheel with rules and search as machine code for this Python (needs a C compiler)
	rm -rf build/dist-fast
	SCHARTEN_COMPILED=1 $(BIN)/python -m build --wheel -o build/dist-fast .

# A path file lends what the wheel needs; path files in the folder that it names, the checkout's too, are not read.
FAST := build/test-fast
test-fast: dist-fast  ## every test on that wheel, installed by itself (ARGS="tests/games tests/play" for some)
	$(BIN)/python -m venv --clear --without-pip $(FAST)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > $$(echo $(FAST)/lib/python3*/site-packages)/lent.pth
	$(BIN)/python -m pip --python $(FAST)/bin/python install -q --no-deps --no-index build/dist-fast/*.whl
	$(FAST)/bin/python -m pytest --machine-code -n 4 --dist worksteal $(ARGS)

bench-eyes: $(VENV)/test.stamp  ## faults of light, hands and cameras over real throws (ARGS="--throws 10 --only moth")
	PYTHONPATH=tests $(BIN)/python -m lab eyes $(ARGS)

docs: $(VENV)/test.stamp  ## build/docs: the documentation site, without the network
	$(BIN)/python docs/site/build.py

docs-serve: $(VENV)/test.stamp  ## the documentation site on this machine, rebuilt when a page changes
	$(BIN)/python docs/site/build.py serve

screenshots: $(VENV)/test.stamp  ## every page and moment in each size, theme and language, into build/screenshots (ARGS="--only wall")
	$(BIN)/python tests/browser/sheet.py $(ARGS)

pictures: $(VENV)/test.stamp  ## the documents' pictures of the display, into hardware_docs/images (ARGS=folder)
	$(BIN)/python tests/browser/screenshots.py $(ARGS)

lock:  ## renew both locks from pyproject.toml (needs uv)
	uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 pyproject.toml -o requirements.lock
	uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 -c requirements.lock --group dev -o tests/requirements.lock
	$(MAKE) -s audit

audit: $(VENV)/test.stamp  ## known holes in the locked packages, where a database can be reached (needs uv)
	PYTHONPATH=tests $(BIN)/python -m lab.packages audit requirements.lock

sbom: $(VENV)/test.stamp  ## build/sbom.json: every package of the product with its digests (CycloneDX)
	@mkdir -p build
	PYTHONPATH=tests $(BIN)/python -m lab.packages sbom requirements.lock pyproject.toml > build/sbom.json

dist: $(VENV)/test.stamp  ## build/dist: wheel, source, list of packages, checksums
	rm -rf build/dist build/share
	$(BIN)/python deploy/share/build.py build/share
	$(BIN)/python -m build --sdist --wheel -o build/dist .
	PYTHONPATH=tests $(BIN)/python -m lab.packages sbom requirements.lock pyproject.toml > build/dist/sbom.json
	cd build/dist && sha256sum *.whl *.tar.gz sbom.json > SHA256SUMS

deb: $(VENV)/test.stamp  ## build/deb: the Debian package (ARGS="--python 3.13 --architecture arm64" for another machine)
	$(BIN)/python deploy/deb/build.py $(ARGS)

ADDONS := build/homeassistant-addon
ADDON := $(ADDONS)/scharten
addon: $(VENV)/test.stamp  ## build/homeassistant-addon: the folder to copy to Home Assistant's addons, or to publish as a store (IMAGE=registry/name)
	rm -rf $(ADDON) && mkdir -p $(ADDON)
	cp -r deploy/homeassistant-addon/translations deploy/homeassistant-addon/run.py deploy/homeassistant-addon/DOCS.md CHANGELOG.md requirements.lock $(ADDON)
	cp $(PAGE)/icon-192.png $(ADDON)/icon.png
	cp deploy/homeassistant-addon/repository.yaml $(ADDONS)
	cat deploy/container/Dockerfile deploy/homeassistant-addon/Dockerfile.end > $(ADDON)/Dockerfile
	sed "s/@VERSION@/$(VERSION)/" deploy/homeassistant-addon/config.yaml > $(ADDON)/config.yaml
	$(if $(IMAGE),echo 'image: "$(IMAGE)-{arch}"' >> $(ADDON)/config.yaml)
	$(BIN)/python -m build --wheel -o $(ADDON) . > /dev/null

image:  ## build/image: a Raspberry Pi's card with Debian and the package (PACKAGE=scharten_..._arm64.deb KEY=your-key.pub; needs root)
	mkdir -p build/image
	sh deploy/image/build.sh "$(PACKAGE)" "$(KEY)" build/image/scharten.img

container:  ## the container's image, with docker, podman or buildah
	@builder=$$(command -v docker || command -v podman || command -v buildah) || { echo "no builder: sudo apt install buildah"; exit 1; }; \
	  "$$builder" build -f deploy/container/Dockerfile -t scharten $(ARGS) .

CONTAINER = build/release/scharten-$(VERSION)-container.tar
DEBS := 3.11:amd64 3.11:arm64 3.13:amd64 3.13:arm64
artefacts: dist addon  ## build/release: wheel, source, packages of Debian 12 and 13, container (BASE=mmdebstrap: without a registry), add-on, firmware, checksums (1 GB, 10 minutes)
	rm -rf build/release && mkdir -p build/release
	cp build/dist/*.whl build/dist/*.tar.gz build/dist/sbom.json calibration/scharten_calibration/images/*.hex calibration/scharten_calibration/images/*.uf2 build/release
	tar -C $(ADDONS) -czf build/release/scharten-$(VERSION)-homeassistant-addon.tar.gz repository.yaml scharten
	set -e; for which in $(DEBS); do \
	  $(BIN)/python deploy/deb/build.py --python $${which%:*} --architecture $${which#*:} --wheel build/dist/*.whl --out build/deb/$$which; \
	  cp build/deb/$$which/*.deb build/release; done
	echo $(VERSION) > build/release/VERSION
	sh deploy/container/archive.sh $(CONTAINER) $(CONTAINER_ARGS)
	test ! -e $(CONTAINER) || $(BIN)/python deploy/container/check_archive.py $(CONTAINER)
	cd build/release && sha256sum * > SHA256SUMS && ls -sh

apt-repo:  ## build/apt: the Debian packages as an apt repository, static files to publish (needs apt-utils; SIGN_KEY=... signs it)
	@sh deploy/apt_repository.sh build/apt $(or $(ARGS),$(wildcard build/release/*.deb build/deb/*.deb))

release-ready:
	@test -z "$$(git status --porcelain)" || { echo "commit first: what is tagged is what is committed"; exit 1; }
	@sh deploy/container/archive.sh
	@git config --get user.signingkey >/dev/null || { echo "name the key that signs the tag: git config user.signingkey"; exit 1; }

release: release-ready check test artefacts apt-repo  ## all artefacts and a signed tag of the version in pyproject.toml (needs git's user.signingkey)
	@git tag -s "v$(VERSION)" -m "Scharten $(VERSION)" && git tag -v "v$(VERSION)"

clean:  ## remove what the targets made
	rm -rf $(VENV) dist tests/javascript/node_modules build .mypy_cache .ruff_cache .pytest_cache .hypothesis
