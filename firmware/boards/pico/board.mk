# made by firmware/pins/generate.py from firmware/pins/pico.toml: change that, then `make -C firmware pins`
mcu_pico := rp2040
drives_pico := 8
senses_pico := 11
max_drives_pico := 8
max_senses_pico := 11
flash_pico := 2097152
ram_pico := 262144
