"""Beds and contacts of the simulated board by name, and a measured time window."""

from scharten.dartboard.beds import Bed, parse_bed
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.sensors.combined.evidence import Timing
from scharten.sensors.profiles import load_profile

PROFILE = load_profile("simulated")
MEASURED = Timing((-40, -30, -60, -35, -50, -20, -45, -33), (300, 320, 340, 310, 330, 350, 360, 305))


def bed(name: str) -> Bed:
    """Return the bed of this name."""
    found = parse_bed(name)
    assert found is not None
    return found


def contact(name: str, profile: BoardProfile = PROFILE) -> Contact:
    """Return the contact of this bed in the profile."""
    found = profile.contact_of(bed(name))
    assert found is not None
    return found
