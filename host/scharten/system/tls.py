"""A club's own certificate authority, and certificates signed by it for the page's server and for Mosquitto."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from scharten.errors import SchartenError
from scharten.system.secrets import write_private

_LOCAL_NAMES = ("localhost", "local", "lan", "home.arpa", "internal")
_PRIVATE = (
    *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16"),
    *("fc00::/7", "fe80::/10", "::1/128"),
)
_ADDRESS = (ipaddress.IPv4Address, ipaddress.IPv6Address)
_CA_DAYS, _DAYS, _RENEW_DAYS = 3650, 397, 30


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Paths of PEM files: the authority that clients trust, the server's certificate, and its key (mode 600)."""

    ca: Path
    certificate: Path
    key: Path


def ensure_tls(
    folder: Path, hosts: Sequence[str], now: datetime.datetime | None = None, *, pinned: bool = False
) -> TlsFiles:
    """Return a certificate for these host names and addresses, signed by the folder's own authority.

    An existing certificate is used while it fits the hosts and is valid for another month. The authority stays, so
    devices keep trusting it. A `pinned` certificate is known by its fingerprint, not by its dates: it stays too.
    `SchartenError` when the folder's files are unusable.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    names = _names(hosts)
    files = TlsFiles(folder / "ca.pem", folder / "server.pem", folder / "server.key")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        authority, authority_key = _authority(files.ca, folder / "ca.key", names, now)
        _check_allowed(authority, names)
        soon = None if pinned else now + datetime.timedelta(days=_RENEW_DAYS)
        if not _fits(files, names, authority, soon):
            key = ec.generate_private_key(ec.SECP256R1())
            certificate = _certificate(key, names, authority, authority_key, now)
            write_private(files.key, _pem(key))
            files.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    except (OSError, ValueError, TypeError) as error:
        raise SchartenError.coded("certificates_unusable", folder=folder, why=error) from error
    return files


def _names(hosts: Sequence[str]) -> list[x509.GeneralName]:
    if not hosts:
        raise SchartenError.coded("certificate_names")
    names: list[x509.GeneralName] = []
    for host in hosts:
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(host)))
        except ValueError:
            if not host.isascii() or not host.replace("-", "").replace(".", "").isalnum() or len(host) > 253:
                raise SchartenError.coded("certificate_name", name=host) from None
            names.append(x509.DNSName(host))
    return names


def _constraints(names: list[x509.GeneralName]) -> x509.NameConstraints:
    """Allow an authority to sign its own names, local network names and private addresses."""
    dns = {name.value for name in names if isinstance(name, x509.DNSName)}
    given = {ipaddress.ip_network(name.value) for name in names if isinstance(name.value, _ADDRESS)}
    return x509.NameConstraints(
        [
            *(x509.DNSName(name) for name in sorted(dns | set(_LOCAL_NAMES))),
            *(x509.IPAddress(ipaddress.ip_network(block)) for block in _PRIVATE),
            *(x509.IPAddress(network) for network in given),
        ],
        None,
    )


def _check_allowed(authority: x509.Certificate, names: list[x509.GeneralName]) -> None:
    """Raise `SchartenError` for a name that the authority may not sign: no device would trust it."""
    try:
        found = authority.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return  # made before authorities were limited
    permitted = found.permitted_subtrees or []
    for name in names:
        if not any(_within(name.value, subtree.value) for subtree in permitted):
            raise SchartenError.coded("not_allowed_name", name=name.value)


def _within(name: object, permitted: object) -> bool:
    if isinstance(name, str) and isinstance(permitted, str):
        return name.lower() == permitted.lower() or name.lower().endswith("." + permitted.lower())
    if isinstance(name, _ADDRESS) and isinstance(permitted, ipaddress.IPv4Network | ipaddress.IPv6Network):
        return name in permitted
    return False


def _authority(
    path: Path, key_path: Path, names: list[x509.GeneralName], now: datetime.datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    if path.exists() and key_path.exists():
        key = serialization.load_pem_private_key(key_path.read_bytes(), None)
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        if not isinstance(key, ec.EllipticCurvePrivateKey) or certificate.public_key() != key.public_key():
            raise ValueError(f"{key_path} is not the key of {path}")
        return certificate, key
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Scharten, this club's own authority")])
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        _builder(name, name, key, now, _CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(_constraints(names), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    write_private(key_path, _pem(key))
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return certificate, key


def _certificate(
    key: ec.EllipticCurvePrivateKey,
    names: list[x509.GeneralName],
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
    now: datetime.datetime,
) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Scharten")])
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    return (
        _builder(name, authority.subject, key, now, _DAYS)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(signer, critical=False)
        .sign(authority_key, hashes.SHA256())
    )


def _builder(
    name: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime.datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # A device whose clock is a little behind must not find it "not yet valid".
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=days))
    )


def _fits(
    files: TlsFiles,
    names: list[x509.GeneralName],
    authority: x509.Certificate,
    until: datetime.datetime | None,
) -> bool:
    """Whether the certificate is of this authority, for these names, and valid until then; None: whatever its dates."""
    if not (files.certificate.exists() and files.key.exists()):
        return False
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return (
        certificate.issuer == authority.subject
        and set(names) <= set(held)
        and (until is None or certificate.not_valid_after_utc > until)
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
