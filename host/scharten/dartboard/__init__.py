"""Beds, contacts, millimetres and the serial line, without a port."""
