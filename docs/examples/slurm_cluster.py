"""A Dask cluster of SLURM jobs for ``tiltyard run --cluster``; needs ``pip install 'tiltyard[cluster]' dask-jobqueue``.

    python slurm_cluster.py --jobs 100 --cores 10 --partition short --folder cup-cluster

Run it on the login node, in a folder that all nodes share, and in the Python environment that they all use.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from dask_jobqueue import SLURMCluster
from distributed.security import Security


def main() -> None:
    """Start the jobs, print the command of a run, and end them when Enter is pressed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--cores", type=int, default=10, help="cores of a job, which plays as many matches at once")
    parser.add_argument("--memory", default="8GB", help="memory of a job: 0.5 GB for each player of each match at once is plenty")
    parser.add_argument("--walltime", default="02:00:00")
    parser.add_argument("--partition", help="SLURM's partition; by default the site's own")
    parser.add_argument("--account", help="who pays")
    parser.add_argument("--folder", type=Path, default=Path("cup-cluster"), help="for certificates and the jobs' logs")
    chosen = parser.parse_args()
    chosen.folder.mkdir(mode=0o700, exist_ok=True)
    # Login nodes are shared: without TLS, everybody on them could run code as you.
    security = Security.temporary()
    files = {name: chosen.folder / f"{name}.pem" for name in ("ca", "cert", "key")}
    texts = {"ca": security.tls_ca_file, "cert": security.tls_client_cert, "key": security.tls_client_key}
    for name, path in files.items():
        path.touch(mode=0o600)
        path.write_text(texts[name], encoding="ascii")
    cluster = SLURMCluster(
        queue=chosen.partition,
        account=chosen.account,
        walltime=chosen.walltime,
        cores=chosen.cores,
        memory=chosen.memory,
        # One Dask worker a job, with a thread for each match at once.
        processes=1,
        protocol="tls",
        security=security,
        shared_temp_directory=str(chosen.folder.resolve()),
        log_directory=str(chosen.folder / "logs"),
    )
    # Other than with scale(), a job that ends is replaced.
    cluster.adapt(minimum_jobs=chosen.jobs, maximum_jobs=chosen.jobs)
    options = [f"--cluster-tls-{name} {path}" for name, path in files.items()]
    print(f"tiltyard run cup.yaml --cluster {cluster.scheduler_address} {' '.join(options)}")
    input("Enter ends the cluster")
    cluster.close()


if __name__ == "__main__":
    main()
