"""A certificate for one run: the host makes it, the invitation carries it, and an agent takes no other.

There is no authority in between: whoever has the invitation knows the certificate itself. The package
`cryptography` makes it (extra `cluster`), since the standard library cannot.
"""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path
from typing import NamedTuple

from runtime.atomic_write import whole
from runtime.catalog.params import Refusal

NAME = "teachrun"
DAYS = 7  # longer than any run; clocks of machines may differ by a day


class Made(NamedTuple):
    """The certificate, and the same with its key: PEM."""

    certificate: str
    with_key: bytes


def make() -> Made | Refusal:
    """Make a key (ECDSA on P-256) and a certificate for it."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        return Refusal(
            "a connection by TLS needs the package cryptography",
            "install teachrun with its extra `cluster`, or reach the machines by ssh: --hosts",
        )
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign",
         "encipher_only", "decipher_only"), False,
    )  # fmt: skip
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Made(public.decode(), public + private)


def server(made: Made, folder: Path) -> ssl.SSLContext:
    """Return the context of who listens. The key is in a file for a moment, since `ssl` takes it from nowhere
    else. Raises `OSError`."""
    file = folder / "link.pem"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        with whole(file, 0o600) as opened:
            opened.write(made.with_key)
        context.load_cert_chain(file)
    finally:
        file.unlink(missing_ok=True)
    return context


def client(certificate: str) -> ssl.SSLContext:
    """Return the context of who connects: it takes this certificate and no other. Raises `ssl.SSLError`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # one certificate is trusted, whatever name leads to who has its key
    context.load_verify_locations(cadata=certificate)
    return context
