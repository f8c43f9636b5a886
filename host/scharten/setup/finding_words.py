"""The words of every finding in each language: what was found, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("en", "nl", "de")
_Rows = Mapping[str, tuple[str, str]]
_EN: Final[_Rows] = {
    "versions": ("Scharten {version}, Python {python}, {system}", ""),
    "packages": ("{packages}", ""),
    "user": ("running as user {user}", ""),
    "root": (
        "running as root: not needed, and not wise",
        "deploy/scharten.service runs it as a user of its own.",
    ),
    "folder": ("data folder {folder}", ""),
    "folder_closed": ("data folder {folder} cannot be written", "Choose another with --data."),
    "room": ("{free} MB free there", ""),
    "room_low": (
        "{free} MB free there",
        "Make room: below {least} MB is too little. Pictures of throws take {pictures} MB.",
    ),
    "secrets_open": (
        "{file} can be read by others on this machine",
        "Only its owner may read it: chmod 600.",
    ),
    "journal_none": ("no journal yet at {path}: the first start makes it", ""),
    "journal": ("journal {path}: {games} games, match {match} ({phase}) replays", ""),
    "journal_idle": ("journal {path}: {games} games, no game begun", ""),
    "journal_damaged": (
        "journal {path} is damaged: {damage}",
        "The next start keeps it untouched and recovers what verifies.",
    ),
    "copy": ("newest copy of the games: {when}, in {folder}", ""),
    "copy_none": ("no copy of the games in {folder} yet", ""),
    "people": (
        "{names} have an account on this machine: each can play as the table",
        "[web] shared_machine = true asks for a secret here too.",
    ),
    "page_served": ("something serves {host}:{port} already: Scharten itself, if it runs", ""),
    "page_free": ("the page can use {host}:{port}", ""),
    "page_taken": ("the page cannot use {host}:{port}: {why}", "Choose another --port."),
    "clock": ("the clock of this machine is set by the network", ""),
    "clock_free": (
        "nothing sets the clock of this machine: it shows {now}",
        "sudo timedatectl set-ntp true; without a network set the date before a game.",
    ),
    "clock_wrong": ("this machine believes that it is {now}", "Set its date: sudo timedatectl set-ntp true."),
    "broker_own": ("broker: the embedded one, on this machine only", ""),
    "broker": ("a broker answers at {host}:{port}", ""),
    "broker_silent": ("no broker answers at {host}:{port}", "Start it, or correct [broker] url."),
    "broker_rights": ("{words}", "See 'scharten broker-config'."),
    "tls_off": ("the page is served without a certificate", ""),
    "tls_first": ("the page's certificate is made at the next start", ""),
    "tls": ("the page's certificate is good until {until}", ""),
    "tls_ends": (
        "the page's certificate ends on {until}",
        "Make a new one, or fetch it from who signs yours.",
    ),
    "tls_ended": (
        "the page's certificate ended on {until}",
        "Make a new one, or fetch it from who signs yours.",
    ),
    "profile": ("board profile {name}: {contacts} contacts", ""),
    "source": ("darts come from: {kind}", ""),
    "port": ("serial port {port}: this user may use {port}", ""),
    "port_missing": ("serial port {port}", "It is not there. Ports seen: {seen}."),
    "port_closed": ("this user may not use {port}", "sudo usermod -aG dialout $USER, then log in again."),
    "cameras_unused": ("cameras seen: {count} (not used)", ""),
    "camera": ("camera {camera}", ""),
    "camera_address": ("camera {camera}: tried when it is started", ""),
    "camera_missing": ("camera {camera} is not there", "Plug it in, or name one of: {seen}."),
    "camera_closed": (
        "this user may not use the camera {camera}",
        "sudo usermod -aG video $USER, then log in again.",
    ),
    "calibration": ("calibration {path}: {count} cameras", ""),
    "trouble": ("{words}", "{cure}"),
}
_NL: Final[_Rows] = {
    "versions": ("Scharten {version}, Python {python}, {system}", ""),
    "packages": ("{packages}", ""),
    "user": ("draait als gebruiker {user}", ""),
    "root": (
        "draait als root: niet nodig en niet verstandig",
        "deploy/scharten.service geeft het een eigen gebruiker.",
    ),
    "folder": ("gegevensmap {folder}", ""),
    "folder_closed": ("in de gegevensmap {folder} kan niet worden geschreven", "Kies een andere met --data."),
    "room": ("{free} MB vrij daar", ""),
    "room_low": (
        "{free} MB vrij daar",
        "Maak ruimte: minder dan {least} MB is te weinig. Beelden van worpen nemen {pictures} MB in.",
    ),
    "secrets_open": (
        "anderen op deze machine kunnen {file} lezen",
        "Alleen de eigenaar mag het lezen: chmod 600.",
    ),
    "journal_none": ("nog geen journaal in {path}: de eerste start maakt het", ""),
    "journal": ("journaal {path}: {games} partijen, partij {match} ({phase}) is na te spelen", ""),
    "journal_idle": ("journaal {path}: {games} partijen, geen partij begonnen", ""),
    "journal_damaged": (
        "journaal {path} is beschadigd: {damage}",
        "De volgende start laat het zoals het is en redt wat klopt.",
    ),
    "copy": ("nieuwste kopie van de partijen: {when}, in {folder}", ""),
    "copy_none": ("nog geen kopie van de partijen in {folder}", ""),
    "people": (
        "{names} hebben een account op deze machine: ieder kan als de tafel spelen",
        "[web] shared_machine = true vraagt ook hier om een geheim.",
    ),
    "page_served": ("op {host}:{port} antwoordt al iets: Scharten zelf, als het draait", ""),
    "page_free": ("de pagina kan {host}:{port} gebruiken", ""),
    "page_taken": ("de pagina kan {host}:{port} niet gebruiken: {why}", "Kies een andere --port."),
    "clock": ("het netwerk zet de klok van deze machine gelijk", ""),
    "clock_free": (
        "niets zet de klok van deze machine gelijk: hij wijst {now}",
        "sudo timedatectl set-ntp true; zonder netwerk: zet de datum voor de partij.",
    ),
    "clock_wrong": ("volgens deze machine is het {now}", "Zet de datum: sudo timedatectl set-ntp true."),
    "broker_own": ("broker: de ingebouwde, alleen op deze machine", ""),
    "broker": ("op {host}:{port} antwoordt een broker", ""),
    "broker_silent": ("op {host}:{port} antwoordt geen broker", "Start hem, of verbeter [broker] url."),
    "broker_rights": ("{words}", "Zie 'scharten broker-config'."),
    "tls_off": ("de pagina heeft geen certificaat", ""),
    "tls_first": ("het certificaat van de pagina wordt bij de volgende start gemaakt", ""),
    "tls": ("het certificaat van de pagina geldt tot {until}", ""),
    "tls_ends": (
        "het certificaat van de pagina loopt af op {until}",
        "Maak een nieuw, of haal het bij wie het uwe tekent.",
    ),
    "tls_ended": (
        "het certificaat van de pagina liep af op {until}",
        "Maak een nieuw, of haal het bij wie het uwe tekent.",
    ),
    "profile": ("bordprofiel {name}: {contacts} contacten", ""),
    "source": ("pijlen komen van: {kind}", ""),
    "port": ("seriële poort {port}: deze gebruiker mag erbij", ""),
    "port_missing": ("seriële poort {port}", "Die is er niet. Gevonden poorten: {seen}."),
    "port_closed": (
        "deze gebruiker mag niet bij {port}",
        "sudo usermod -aG dialout $USER en log opnieuw in.",
    ),
    "cameras_unused": ("gevonden camera's: {count} (niet in gebruik)", ""),
    "camera": ("camera {camera}", ""),
    "camera_address": ("camera {camera}: wordt bij het starten geprobeerd", ""),
    "camera_missing": ("camera {camera} is er niet", "Sluit hem aan, of noem een van: {seen}."),
    "camera_closed": (
        "deze gebruiker mag niet bij camera {camera}",
        "sudo usermod -aG video $USER en log opnieuw in.",
    ),
    "calibration": ("kalibratie {path}: {count} camera's", ""),
    "trouble": ("{words}", "{cure}"),
}
_DE: Final[_Rows] = {
    "versions": ("Scharten {version}, Python {python}, {system}", ""),
    "packages": ("{packages}", ""),
    "user": ("läuft als Benutzer {user}", ""),
    "root": (
        "läuft als root: unnötig und unklug",
        "deploy/scharten.service gibt ihm einen eigenen Benutzer.",
    ),
    "folder": ("Datenordner {folder}", ""),
    "folder_closed": (
        "im Datenordner {folder} kann nicht geschrieben werden",
        "Wähle mit --data einen anderen.",
    ),
    "room": ("{free} MB sind dort frei", ""),
    "room_low": (
        "{free} MB sind dort frei",
        "Schaffe Platz: unter {least} MB sind zu wenig. Bilder von Würfen belegen {pictures} MB.",
    ),
    "secrets_open": (
        "andere auf diesem Rechner können {file} lesen",
        "Nur der Eigentümer darf es lesen: chmod 600.",
    ),
    "journal_none": ("noch kein Journal unter {path}: der erste Start legt es an", ""),
    "journal": ("Journal {path}: {games} Partien, Partie {match} ({phase}) lässt sich nachspielen", ""),
    "journal_idle": ("Journal {path}: {games} Partien, keine begonnen", ""),
    "journal_damaged": (
        "Journal {path} ist beschädigt: {damage}",
        "Der nächste Start lässt es unberührt und rettet, was stimmt.",
    ),
    "copy": ("neueste Kopie der Partien: {when}, in {folder}", ""),
    "copy_none": ("noch keine Kopie der Partien in {folder}", ""),
    "people": (
        "{names} haben ein Konto auf diesem Rechner: jeder kann als Tisch spielen",
        "[web] shared_machine = true fragt auch hier nach einem Geheimnis.",
    ),
    "page_served": ("auf {host}:{port} antwortet schon etwas: Scharten selbst, wenn es läuft", ""),
    "page_free": ("die Seite kann {host}:{port} benutzen", ""),
    "page_taken": ("die Seite kann {host}:{port} nicht benutzen: {why}", "Wähle einen anderen --port."),
    "clock": ("das Netz stellt die Uhr dieses Rechners", ""),
    "clock_free": (
        "nichts stellt die Uhr dieses Rechners: sie zeigt {now}",
        "sudo timedatectl set-ntp true; ohne Netz: vor der Partie das Datum stellen.",
    ),
    "clock_wrong": (
        "dieser Rechner glaubt, es sei {now}",
        "Stelle das Datum: sudo timedatectl set-ntp true.",
    ),
    "broker_own": ("Broker: der eingebaute, nur auf diesem Rechner", ""),
    "broker": ("auf {host}:{port} antwortet ein Broker", ""),
    "broker_silent": ("auf {host}:{port} antwortet kein Broker", "Starte ihn, oder berichtige [broker] url."),
    "broker_rights": ("{words}", "Siehe 'scharten broker-config'."),
    "tls_off": ("die Seite hat kein Zertifikat", ""),
    "tls_first": ("das Zertifikat der Seite entsteht beim nächsten Start", ""),
    "tls": ("das Zertifikat der Seite gilt bis {until}", ""),
    "tls_ends": (
        "das Zertifikat der Seite läuft am {until} ab",
        "Mach ein neues, oder hole es bei dem, der deines unterschreibt.",
    ),
    "tls_ended": (
        "das Zertifikat der Seite ist am {until} abgelaufen",
        "Mach ein neues, oder hole es bei dem, der deines unterschreibt.",
    ),
    "profile": ("Brettprofil {name}: {contacts} Kontakte", ""),
    "source": ("Pfeile kommen von: {kind}", ""),
    "port": ("serieller Anschluss {port}: dieser Benutzer darf ihn benutzen", ""),
    "port_missing": ("serieller Anschluss {port}", "Er ist nicht da. Gefundene Anschlüsse: {seen}."),
    "port_closed": (
        "dieser Benutzer darf {port} nicht benutzen",
        "sudo usermod -aG dialout $USER, dann neu anmelden.",
    ),
    "cameras_unused": ("gefundene Kameras: {count} (nicht benutzt)", ""),
    "camera": ("Kamera {camera}", ""),
    "camera_address": ("Kamera {camera}: wird beim Start versucht", ""),
    "camera_missing": ("Kamera {camera} ist nicht da", "Stecke sie ein, oder nenne eine von: {seen}."),
    "camera_closed": (
        "dieser Benutzer darf die Kamera {camera} nicht benutzen",
        "sudo usermod -aG video $USER, dann neu anmelden.",
    ),
    "calibration": ("Kalibrierung {path}: {count} Kameras", ""),
    "trouble": ("{words}", "{cure}"),
}
WORDS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    code: {"en": _EN[code], "nl": _NL[code], "de": _DE[code]} for code in _EN
}
