"""Files that are none of ours: what each of them is, and what to do with it."""

from typing import NoReturn

from relrbf.exceptions import RelationError

SPREADSHEET = "a spreadsheet. Save the sheet as csv, and pass that"
R_DATA = 'of R. There, write.csv(as.matrix(D), "D.csv"), and pass that'
PICKLE = "a pickle, and reading one runs what is in it. Write the matrix with numpy.save"
HDF = "of HDF5. Write the array with numpy.save, and pass that"
MATLAB = "of MATLAB. Write the matrix with writematrix(D, 'D.csv'), and pass that"
FRAME = "a table in columns. Read it with pandas, and write it with to_csv"
JSON = "of JSON. Write the matrix with numpy.save, or as csv"
SUFFIXES = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods", ".numbers"), SPREADSHEET),
    **dict.fromkeys((".rds", ".rdata", ".rda"), R_DATA),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), PICKLE),
    **dict.fromkeys((".h5", ".hdf5", ".hdf"), HDF),
    **dict.fromkeys((".parquet", ".feather", ".arrow"), FRAME),
    ".mat": MATLAB,
    ".json": JSON,
}
BEGINNINGS = {
    b"PK\x03\x04": "a zip archive (as a spreadsheet, or a .npz under another name, is)",
    b"\x89HDF": HDF,
    b"\xd0\xcf\x11\xe0": SPREADSHEET,
    b"PAR1": FRAME,
    b"\x93NUMPY": "an array of numpy. Give it a name that ends in .npy",
    b"RDX": R_DATA,
    b"\x80\x04": PICKLE,
    b"\x80\x05": PICKLE,
    b"%PDF": "a PDF. Pass the numbers as csv",
}


def refuse_suffix(name: str, suffix: str) -> None:
    """Refuse a file whose name says that it cannot be read."""
    if suffix.lower() in SUFFIXES:
        raise RelationError(f"{name} is a file {_described(SUFFIXES[suffix.lower()])}.")


def refuse_binary(name: str, head: bytes) -> None:
    """Refuse a file that is to be text and is not."""
    for beginning, text in BEGINNINGS.items():
        if head.startswith(beginning):
            raise RelationError(f"{name} is not text, but a file {_described(text)}.")
    if b"\0" in head:
        refuse_bytes(name)


def refuse_bytes(name: str) -> NoReturn:
    """Refuse bytes that mean nothing to us."""
    raise RelationError(
        f"{name} is not text: it holds bytes that no text has. Matrices are read from csv, tsv, "
        "npy, npz, zarr, mtx and PHYLIP files."
    )


def _described(text: str) -> str:
    return text if text.startswith("of ") else f"that is {text}"
