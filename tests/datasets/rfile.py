"""Writes what R's save() writes ("R Internals", section 1.8), for the reader to read."""

import lzma
import struct

import numpy as np

ATTRIBUTES, TAG, OBJECT = 0x200, 0x400, 0x100


def word(number):
    return struct.pack(">i", number)


def characters(text):
    data = text.encode()
    return word(0x40009) + word(len(data)) + data


def symbol(text):
    return word(1) + characters(text)


def pairs(**values):
    """Tagged values as a linked list; every symbol is written out."""
    items = [word(2 | TAG) + symbol(name.replace("_", ".")) + v for name, v in values.items()]
    return b"".join(items) + word(254)


def numbers(values, attributes=b"", flags=0):
    values = np.asarray(values)
    kind, form = (14, ">f8") if values.dtype.kind == "f" else (13, ">i4")
    data = values.astype(form).tobytes()
    flags |= ATTRIBUTES if attributes else 0
    return word(kind | flags) + word(len(values)) + data + attributes


def strings(values):
    return word(16) + word(len(values)) + b"".join(map(characters, values))


def listing(parts, **attributes):
    attributes = pairs(names=strings([*parts]), **attributes)
    return word(19 | ATTRIBUTES) + word(len(parts)) + b"".join(parts.values()) + attributes


def matrix(X):
    return numbers(X.ravel(order="F"), pairs(dim=numbers(np.array(X.shape))))


def data_frame(X):
    columns = {f"V{j}": numbers(column) for j, column in enumerate(X.T)}
    rows = numbers(np.array([-(2**31), -len(X)]))  # NA and the number of rows: 1, 2, ...
    return listing(columns, row_names=rows, **{"class": strings(["data.frame"])})


def factor(labels):
    levels, codes = np.unique(labels, return_inverse=True)
    attributes = pairs(levels=strings(levels), **{"class": strings(["factor"])})
    return numbers(codes + 1, attributes, OBJECT)


def saved(objects, version=2, pack=lzma.compress):
    head = b"RDX%d\nX\n" % version + word(version) + word(0x30000) + word(0x20300)
    encoding = word(5) + b"UTF-8" if version == 3 else b""
    return pack(head + encoding + pairs(**objects))
