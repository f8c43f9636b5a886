"""`[remote]` of the configuration: how players at another board reach this one, and under which name it invites."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from scharten.remote.invitation import PORT


class RemoteSection(BaseModel):
    """Frozen, and closed to unknown keys. The port is open only while somebody is invited or plays."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "0.0.0.0"
    port: int = Field(PORT, ge=0, le=65535)
    address: str = Field("", pattern=r"^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]{0,253})(:\d{1,5})?$")
    name: str = Field("", max_length=40)
    meeting: str = Field("", max_length=500)
    """`mqtts://centre.example`: the broker at which guests meet this host, so that it opens no port."""
    meeting_ca_file: str = ""
    meeting_password_file: str = ""
