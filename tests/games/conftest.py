"""The peer of Shatranj has wheels for x86-64 alone: elsewhere its test is not collected, there it must run."""

import platform

collect_ignore = [] if platform.machine() in ("x86_64", "AMD64") else ["shatranj/test_peer.py"]
