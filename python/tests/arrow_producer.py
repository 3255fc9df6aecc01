"""A producer of Arrow C streams by ctypes, so that the consumer is tested where no library of Arrow is installed.

Stream(columns, batches) has __arrow_c_stream__; a column is (name, format, [cells of each batch]), or for a dictionary
(name, format, [codes of each batch], [texts]). None is a missing cell. `offset` cells that are not part of the table
are put before each batch.
"""

import ctypes
import struct

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class CStream(ctypes.Structure):
    pass


_release_schema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
_release_array = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
_release_stream = ctypes.CFUNCTYPE(None, ctypes.POINTER(CStream))
_get_schema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), ctypes.POINTER(Schema))
_get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), ctypes.POINTER(Array))
_get_error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CStream))

Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", _release_schema), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", _release_array), ("private_data", ctypes.c_void_p)]
CStream._fields_ = [("get_schema", _get_schema), ("get_next", _get_next), ("get_last_error", _get_error),
                    ("release", _release_stream), ("private_data", ctypes.c_void_p)]

_FORMATS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "e": "e", "f": "f", "g": "d",
            "tdD": "i", "tdm": "q", "tss:": "q", "tsm:": "q", "tsu:UTC": "q", "tsn:": "q"}


def _bits(flags):
    out = bytearray((len(flags) + 7) // 8 or 1)
    for i, flag in enumerate(flags):
        out[i // 8] |= bool(flag) << (i % 8)
    return bytes(out)


class Stream:
    def __init__(self, columns, offset=0, error=None, dictionary_format="u"):
        self.columns, self.offset, self.error, self.dictionary_format = columns, offset, error, dictionary_format
        self.released = 0
        self._kept = []

    def _keep(self, thing):
        self._kept.append(thing)
        return thing

    def _buffer(self, content):
        data = self._keep(ctypes.create_string_buffer(content, max(len(content), 1)))
        return ctypes.addressof(data)

    def _values(self, format, cells):
        """The buffers after the bitmap."""
        if format == "b":
            return [self._buffer(_bits([cell or False for cell in cells]))]
        if format in ("u", "U"):
            texts = [(cell or "").encode() for cell in cells]
            ends = [0]
            for text in texts:
                ends.append(ends[-1] + len(text))
            return [self._buffer(struct.pack(f"{len(ends)}{'i' if format == 'u' else 'q'}", *ends)),
                    self._buffer(b"".join(texts))]
        if format == "vu":
            long, views = bytearray(b"--"), b""
            for text in [(cell or "").encode() for cell in cells]:
                rest = text.ljust(12, b"\0") if len(text) <= 12 else text[:4] + struct.pack("ii", 1, len(long))
                views += struct.pack("i", len(text)) + rest
                long += text if len(text) > 12 else b""
            return [self._buffer(views), self._buffer(b"unused"), self._buffer(bytes(long)),
                    self._buffer(struct.pack("qq", 6, len(long)))]
        if format.startswith("d:"):
            return [self._buffer(b"".join((cell or 0).to_bytes(16, "little", signed=True) for cell in cells))]
        if format == "n":
            return []
        return [self._buffer(struct.pack(f"{len(cells)}{_FORMATS[format]}", *[cell or 0 for cell in cells]))]

    def _array(self, format, cells, dictionary=None, offset=0):
        filler = cells[0] if len(cells) else "" if format in ("u", "U", "vu") else 0
        cells = [filler] * offset + list(cells)
        buffers = [] if format == "n" else [self._buffer(_bits([cell is not None for cell in cells]))
                                            if None in cells else None]
        buffers += self._values(format, cells)
        array = self._keep(Array())
        array.length, array.offset, array.null_count = len(cells) - offset, offset, -1
        array.n_buffers = len(buffers)
        array.buffers = self._keep((ctypes.c_void_p * max(len(buffers), 1))(*buffers))
        if dictionary is not None:
            array.dictionary = ctypes.pointer(self._array(self.dictionary_format, dictionary))
        return array

    def _schema(self, out):
        children = []
        for name, format, _, *rest in self.columns:
            child = self._keep(Schema())
            child.format, child.name = format.encode(), name.encode()
            if rest:
                values = self._keep(Schema())
                values.format, values.name = self.dictionary_format.encode(), b""
                child.dictionary = ctypes.pointer(values)
            children.append(ctypes.pointer(child))
        out.format, out.name, out.n_children = b"+s", b"", len(children)
        out.children = self._keep((ctypes.POINTER(Schema) * max(len(children), 1))(*children))
        out.release = self._keep(_release_schema(lambda schema: setattr(schema.contents, "release", _release_schema())))

    def _batch(self, which, out):
        children = [ctypes.pointer(self._array(format, cells[which], rest[0] if rest else None, self.offset))
                    for _, format, cells, *rest in self.columns]
        out.length = len(self.columns[0][2][which])
        out.n_children, out.n_buffers = len(children), 1
        out.buffers = self._keep((ctypes.c_void_p * 1)(None))
        out.children = self._keep((ctypes.POINTER(Array) * len(children))(*children))

        def release(array):
            self.released += 1
            array.contents.release = _release_array()

        out.release = self._keep(_release_array(release))

    def __arrow_c_stream__(self, requested_schema=None):
        state = {"next": 0}
        batches = len(self.columns[0][2])

        def get_schema(_, out):
            self._schema(out.contents)
            return 0

        def get_next(_, out):
            if self.error is not None and state["next"] == 1:
                return 5
            ctypes.memset(out, 0, ctypes.sizeof(Array))
            if state["next"] < batches:
                self._batch(state["next"], out.contents)
                state["next"] += 1
            return 0

        message = self._buffer(self.error + b"\0") if self.error else None
        stream = self._keep(CStream())
        stream.get_schema = self._keep(_get_schema(get_schema))
        stream.get_next = self._keep(_get_next(get_next))
        stream.get_last_error = self._keep(_get_error(lambda _: message))
        stream.release = self._keep(_release_stream(lambda each: setattr(each.contents, "release", _release_stream())))
        return _capsule(ctypes.addressof(stream), b"arrow_array_stream", None)
