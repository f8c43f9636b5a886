"""A contact board and cameras as one sensor: what each noticed of a throw becomes one reading."""
