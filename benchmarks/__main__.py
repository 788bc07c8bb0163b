"""Run benchmarks by name: ``python -m benchmarks NAME [flags]``, or ``make bench NAME=...``.

``python -m benchmarks list`` prints the names.
"""

import runpy
import sys

BENCHMARKS = {
    "core": "core",
    "accuracy": "accuracy",
    "noise": "accuracy.noise",
    "speed": "accuracy.speed",
    "alternatives": "alternatives",
    "remedies": "remedies",
    "protocol": "protocol",
    "inspection": "inspection",
    "tendency": "tendency",
    "embeddings": "embeddings",
    "repair": "repair",
    "measures": "measures",
    "reading": "reading",
    "many": "scale.many",
    "disk": "scale.disk",
    "cluster": "scale.cluster",
    "series": "scale.series",
    "novelty": "novelty",
    "intervals": "intervals",
    "positive": "positive",
    "report": "report",
    "deep": "deep",
    "deep-accuracy": "deep.accuracy",
    "sequences": "deep.sequences",
    "structure": "structure",
}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "core"
    if name == "list":
        print("\n".join(BENCHMARKS))
        return
    if name not in BENCHMARKS:
        sys.exit(f"no benchmark {name!r}; choose from {', '.join(BENCHMARKS)}.")
    sys.argv = [f"python -m benchmarks {name}", *sys.argv[2:]]
    runpy.run_module(f"benchmarks.{BENCHMARKS[name]}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
