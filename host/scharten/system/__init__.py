"""Services of the machine: private files, certificates, threads, logs."""
