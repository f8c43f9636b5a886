# made by firmware/pins/generate.py from firmware/pins/uno.toml: change that, then `make -C firmware pins`
mcu_uno := atmega328p
drives_uno := 8
senses_uno := 8
max_drives_uno := 8
max_senses_uno := 8
flash_uno := 32256
ram_uno := 2048
