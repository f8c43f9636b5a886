// De woorden van de clubpagina en de toestandpagina in het Nederlands; pages-en.js heeft dezelfde sleutels.
export default {
  "club.title": "Club", "club.none": "Nog geen bord heeft iets gezegd. Borden verschijnen hier zodra ze op deze broker spelen.", "club.free": "vrij", "club.offline": "offline", "club.offline.words": "Geen verbinding met de scheidsrechter van dit bord.", "club.machine_ok": "Elektronica in orde",

  "status.title": "Toestand", "status.arbiter": "De toestandpagina is voor de arbiter: open hem met de link van de arbiter.",
  "status.play": "Spel", "status.playable": "Er kan gespeeld worden.", "status.not_playable": "Het spel ligt stil: {reason}", "status.cure": "Wat te doen: {cure}", "status.offline": "De scheidsrechter draait niet.",
  "status.sources": "Waar de darts vandaan komen", "status.since": "sinds {time}", "status.state.found": "verbonden", "status.state.lost": "niet verbonden", "status.state.silent": "zwijgt", "status.state.wrong_protocol": "verkeerde protocolversie",
  "status.source.simulated": "gesimuleerd bord", "status.source.serial": "serieel bord", "status.source.camera": "camera's", "status.source.granboard": "GranBoard",
  "status.readings": "Laatste waarnemingen", "status.no_readings": "Er is nog geen dart gezien.", "status.time": "Tijd", "status.bed": "Vak", "status.confidence": "Zekerheid", "status.outcome": "Gevolg", "status.counted": "telde",
  "status.board": "Elektronica van het bord", "status.stuck": "Klevende contacten", "status.stuck_at": "uitgang {drive}, ingang {sense}", "status.dropped": "Meldingen die het bord kwijtraakte", "status.line": "Seriële lijn",
  "status.cameras": "Camera's", "status.no_cameras": "Er zijn geen camera's in gebruik.", "status.picture": "Laatste beeld: {name}",
  "status.broker": "Broker", "status.broker.up": "verbonden", "status.broker.down": "niet verbonden", "status.display": "Deze paginaserver", "status.host": "De scheidsrechter",
  "status.journal": "Logboek en versie", "status.file": "Logboek", "status.version": "Versie", "status.running": "Draait sinds", "status.warnings": "Waarschuwingen",
  "status.diagnostics": "Download diagnose", "status.diagnostics.help": "Eén bestand voor wie je helpt: toestand, waarnemingen en instellingen, zonder geheimen.", "status.failed": "Dat kon niet worden opgehaald.", "status.to_play": "Naar de partij",
};
