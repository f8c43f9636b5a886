// The words of the club's page and of the status page in English; pages-nl.js has the same keys.
export default {
  "club.title": "Club", "club.none": "No board has said anything yet. Boards appear here as soon as they play on this broker.", "club.free": "free", "club.offline": "offline", "club.offline.words": "No connection with this board's referee.", "club.machine_ok": "Electronics all right",

  "status.title": "Status", "status.arbiter": "The status page is for the arbiter: open it from the arbiter's link.",
  "status.play": "Play", "status.playable": "Play is possible.", "status.not_playable": "Play has stopped: {reason}", "status.cure": "What to do: {cure}", "status.offline": "The referee is not running.",
  "status.sources": "Where darts come from", "status.since": "since {time}", "status.state.found": "connected", "status.state.lost": "not connected", "status.state.silent": "silent", "status.state.wrong_protocol": "wrong protocol version",
  "status.source.simulated": "simulated board", "status.source.serial": "serial board", "status.source.camera": "cameras", "status.source.granboard": "GranBoard",
  "status.readings": "Last readings", "status.no_readings": "No dart has been seen yet.", "status.time": "Time", "status.bed": "Bed", "status.confidence": "Confidence", "status.outcome": "Outcome", "status.counted": "counted",
  "status.board": "Board electronics", "status.stuck": "Stuck contacts", "status.stuck_at": "drive {drive}, sense {sense}", "status.dropped": "Events that the board lost", "status.line": "Serial line",
  "status.cameras": "Cameras", "status.no_cameras": "No cameras are in use.", "status.picture": "Last picture: {name}",
  "status.broker": "Broker", "status.broker.up": "connected", "status.broker.down": "not connected", "status.display": "This display server", "status.host": "The referee",
  "status.journal": "Journal and version", "status.file": "Journal", "status.version": "Version", "status.running": "Running since", "status.warnings": "Warnings",
  "status.diagnostics": "Download diagnostics", "status.diagnostics.help": "One file for whoever helps you: state, readings and settings, without secrets.", "status.failed": "That could not be fetched.", "status.to_play": "To the game",
};
