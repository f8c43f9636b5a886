# made by firmware/pins/generate.py from firmware/pins/mega2560.toml: change that, then `make -C firmware pins`
mcu_mega2560 := atmega2560
drives_mega2560 := 8
senses_mega2560 := 11
max_drives_mega2560 := 16
max_senses_mega2560 := 16
flash_mega2560 := 253952
ram_mega2560 := 8192
