"""Data as people hold it to what the library reads: words that name files, or a table in memory.

What is copied: nothing of a float64 matrix in C order, given with y= apart from it, nor anything else while it
is read where it lies; the library makes its own float64 table of all other layouts. Text of pandas becomes
codes and levels here, four bytes a cell.
"""

import datetime
import decimal
import numbers
import os
import sys

import numpy as np

from . import _giga

# A sparse matrix becomes a dense one of at most so many bytes.
DENSE_LIMIT = 4 * 2**30

_DAY_NS = 86_400_000_000_000
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": _DAY_NS}


def is_path(data):
    return isinstance(data, (str, bytes, os.PathLike))


def path_word(path):
    word = os.fsencode(path)
    if not word:
        raise ValueError("a path is empty")
    if b"\0" in word:
        raise ValueError("a path has a null character")
    return word


def words_and_memory(data, y=None, weights=None, names=None):
    """([words], Memory or None, settings): what names the data, and what the columns y and weights are called."""
    if data is None:
        if y is not None:
            raise TypeError("y= is given without data")
        return [], None, []
    if is_path(data):
        words = [path_word(data)]
    elif isinstance(data, (list, tuple)) and data and all(is_path(each) for each in data):
        words = [path_word(each) for each in data]
    else:
        memory, settings = memory_of(data, y, weights, names)
        return [memory.name.encode()], memory, settings
    for name, value in (("y", y), ("names", names)):
        if value is not None:
            raise TypeError(f"{name}= goes with data in memory, not with a path")
    if weights is not None and not isinstance(weights, str):
        raise TypeError("weights= of a file is the name of its column")
    return words, None, []


def memory_of(data, y, weights, names):
    """A Memory, and the settings that say which of its columns are y and weights."""
    extra = _extra_columns(y, weights)
    if _is_frame(data):
        memory, settings = _frame(data, extra)
    elif hasattr(data, "__arrow_c_stream__"):
        if extra:
            raise TypeError(f"{extra[0][0]}= goes with arrays and frames; name the column of an Arrow table")
        stream = data.__arrow_c_stream__(None)
        if type(stream).__name__ != "PyCapsule":
            raise TypeError(f"__arrow_c_stream__ gave a {type(stream).__name__}; must be a capsule")
        memory, settings = _giga.Memory.from_arrow(stream, "<table>"), []
    elif isinstance(data, dict):
        memory, settings = _columns([(str(name), values) for name, values in data.items()], "<dict>", extra, None)
    else:
        return _array(data, extra, names)
    if names is not None:
        raise TypeError("names= goes with an array; the columns of this table have names")
    return memory, settings


def _extra_columns(y, weights):
    """[(keyword, default name, values)] of what is given beside the table."""
    out = []
    if y is not None:
        out.append(("y", "y", y))
    if weights is not None and not isinstance(weights, str):
        out.append(("weights", "w", weights))
    return out


def _is_frame(data):
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _is_series(data):
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, (pandas.Series, pandas.Index))


def _frame(frame, extra):
    columns = [(str(name), frame.iloc[:, j]) for j, name in enumerate(frame.columns)]
    return _columns(columns, "<frame>", extra, len(frame))


def _name_of(keyword, default, values, taken):
    name = getattr(values, "name", None)
    name = name if isinstance(name, str) and name else default
    if name in taken:
        raise ValueError(f"{keyword}= would be a second column '{name}'; name the column instead")
    return name


def _columns(columns, label, extra, num_rows):
    """A table of columns of any kind, and the columns given beside it."""
    settings = []
    taken = {name for name, _ in columns}
    for keyword, default, values in extra:
        name = _name_of(keyword, default, values, taken)
        taken.add(name)
        columns = columns + [(name, values)]
        settings.append(("response" if keyword == "y" else "weights", name.encode()))
    if not columns:
        raise ValueError(f"{label}: has no columns")
    if num_rows is None:
        num_rows = _length(columns[0][1], columns[0][0])
    memory = _giga.Memory(label, num_rows)
    for name, values in columns:
        length = _length(values, name)
        if length != num_rows:
            raise ValueError(f"column '{name}' has {length} cells, where the table has {num_rows} rows")
        _add(memory, name, values)
    return memory, settings


def _length(values, name):
    try:
        return len(values)
    except TypeError:
        raise TypeError(f"column '{name}' is a {type(values).__name__}; must be an array") from None


def _dense(data):
    """A matrix of numbers of whatever is like one, a sparse one made dense within the limit."""
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        needed = int(data.shape[0]) * int(data.shape[1]) * 8
        if needed > DENSE_LIMIT:
            raise ValueError(f"a sparse matrix of {data.shape[0]} x {data.shape[1]} would take {needed / 1e9:.1f} GB as a "
                             f"dense one, more than {DENSE_LIMIT / 1e9:.1f} GB; save it as .svm, or use fewer columns")
        return np.ascontiguousarray(data.toarray())
    return data


def _array(data, extra, names):
    data = _dense(data)
    if isinstance(data, np.ma.MaskedArray):
        data = data.filled(np.nan) if data.dtype.kind == "f" else data.astype(np.float64).filled(np.nan)
    if not isinstance(data, np.ndarray):
        if not hasattr(data, "__array__") and not isinstance(data, (list, tuple)):
            raise TypeError(f"data is a {type(data).__name__}; must be a path, an array, a frame, or a table with "
                            "__arrow_c_stream__")
        try:
            data = np.asarray(data)
        except ValueError as error:
            raise ValueError(f"data cannot be made an array: {error}") from None
    if data.dtype.names is not None:
        return _columns([(name, data[name]) for name in data.dtype.names], "<array>", extra, None)
    if data.ndim == 1 and extra:
        data = data[:, None]
    if data.ndim != 2:
        raise ValueError(f"data has {data.ndim} dimensions; must have 2, a row for each observation")
    width = data.shape[1]
    if names is None:
        # As in .npy files: the last column is y unless y is given.
        has_y = any(keyword == "y" for keyword, _, _ in extra)
        names = [f"x{j + 1}" for j in range(width)]
        if not has_y and width:
            names[-1] = "y"
    else:
        names = [str(name) for name in names]
        if len(names) != width:
            raise ValueError(f"names= has {len(names)} names, where data has {width} columns")
    matrix = _numbers(data, "data")
    if matrix is None:
        return _columns([(name, data[:, j]) for j, name in enumerate(names)], "<array>", extra, data.shape[0])
    memory = _giga.Memory("<array>", matrix.shape[0])
    memory.add_matrix(names, matrix)
    settings, taken = [], set(names)
    for keyword, default, values in extra:
        name = _name_of(keyword, default, values, taken)
        taken.add(name)
        length = _length(values, name)
        if length != matrix.shape[0]:
            raise ValueError(f"{keyword}= has {length} values, where data has {matrix.shape[0]} rows")
        _add(memory, name, values)
        settings.append(("response" if keyword == "y" else "weights", name.encode()))
    return memory, settings


def _numbers(values, name):
    """An array of numbers that the library reads where it lies, of one or two dimensions; None: it is of another
    kind."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "c":
        raise TypeError(f"column '{name}' has complex numbers; take a real part of them")
    if kind not in "fiub":
        return None
    if kind == "f" and size not in (4, 8):
        return values.astype(np.float32 if size == 2 else np.float64)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _add(memory, name, values):
    """One column of any kind."""
    if _is_series(values):
        return _add_series(memory, name, values)
    values = _dense(values)
    mask = None
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ascontiguousarray(np.ma.getmaskarray(values)).view(np.uint8)
        values = values.data
    try:
        values = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"column '{name}' cannot be made an array: {error}") from None
    if values.ndim == 2 and 1 in values.shape[1:]:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"column '{name}' has {values.ndim} dimensions; must have one")
    _add_array(memory, name, values, mask)


def _add_array(memory, name, values, mask=None):
    plain = _numbers(values, name)
    if plain is not None:
        memory.add_numbers(name, plain, mask)
    elif values.dtype.kind == "M":
        _add_moments(memory, name, values)
    elif values.dtype.kind in "US":
        levels, codes = np.unique(values, return_inverse=True)
        _add_codes(memory, name, codes, [_level_text(name, each) for each in levels.tolist()], mask)
    elif values.dtype.kind == "O":
        _add_objects(memory, name, values)
    else:
        raise TypeError(f"column '{name}' has the dtype {values.dtype}, which is neither a number nor text nor a date")


def _add_codes(memory, name, codes, levels, mask=None):
    codes = np.asarray(codes).astype(np.int32, copy=True)
    if mask is not None:
        codes[np.asarray(mask, dtype=bool)] = -1
    memory.add_codes(name, codes, [each.encode("utf-8", "surrogatepass") for each in levels])


def _add_moments(memory, name, values):
    """datetime64 of any unit; NaT is missing. Midnights alone are days, as the same text in CSV would be."""
    missing = np.isnat(values)
    mask = missing.view(np.uint8) if missing.any() else None
    unit = np.datetime_data(values.dtype)[0]
    if unit in ("Y", "M", "W", "D", "generic"):
        return _add_days(memory, name, values.astype("datetime64[D]"), mask)
    whole = values.astype("datetime64[D]")
    if bool(np.all((whole == values) | missing)):
        return _add_days(memory, name, whole, mask)
    if unit not in _PER_DAY or np.datetime_data(values.dtype)[1] != 1:
        values, unit = values.astype("datetime64[ns]"), "ns"
    memory.add_moments(name, np.ascontiguousarray(values).view(np.int64), _PER_DAY[unit], mask)


def _add_days(memory, name, days, mask):
    numbers_of_days = days.astype(np.int64)
    if mask is not None:
        numbers_of_days = np.where(mask, 0, numbers_of_days)
    memory.add_days(name, np.clip(numbers_of_days, -2**31, 2**31 - 1).astype(np.int32), mask)


def _add_series(memory, name, series):
    """A column of pandas, by its type."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = series.cat.categories if hasattr(series, "cat") else series.categories
        codes = series.cat.codes if hasattr(series, "cat") else series.codes
        levels = [_level_text(name, each) for each in categories]
        return _add_codes(memory, name, np.asarray(codes), levels)
    if isinstance(dtype, pd.SparseDtype):
        return _add_array(memory, name, np.asarray(series.array.to_dense()))
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = (series.dt if hasattr(series, "dt") else series).tz_convert("UTC")
        moments = (moments.dt if hasattr(moments, "dt") else moments).tz_localize(None)
        missing = np.asarray(moments.isna())
        values = np.asarray(moments, dtype="datetime64[ns]")
        mask = missing.view(np.uint8) if missing.any() else None
        # With an offset a moment is a moment, even at midnight.
        return memory.add_moments(name, np.ascontiguousarray(values).view(np.int64), _DAY_NS, mask)
    if pd.api.types.is_bool_dtype(dtype):
        missing = np.asarray(series.isna())
        truth = np.asarray(series.fillna(False) if missing.any() else series, dtype=bool)
        return _add_codes(memory, name, truth, ["False", "True"], missing)
    if pd.api.types.is_extension_array_dtype(dtype) and pd.api.types.is_numeric_dtype(dtype):
        missing = np.asarray(series.isna())
        values = series.to_numpy(dtype=dtype.numpy_dtype, na_value=0)
        mask = np.ascontiguousarray(missing).view(np.uint8) if missing.any() else None
        return memory.add_numbers(name, values, mask)
    if pd.api.types.is_extension_array_dtype(dtype) and not pd.api.types.is_string_dtype(dtype):
        raise TypeError(f"column '{name}' has the dtype {dtype}, which is neither a number nor text nor a date")
    return _add_array(memory, name, np.asarray(series, dtype=object if pd.api.types.is_string_dtype(dtype) else None))


def _is_missing(value):
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def _level_text(name, value):
    """The text of a level, as CSV would have it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"column '{name}' has bytes that are not UTF-8: {value!r:.50}") from None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if type(value).__name__ == "Interval":
        return str(value)
    raise TypeError(f"column '{name}' has a {type(value).__name__}, which is neither a number nor text nor a date")


def _add_objects(memory, name, values):
    """Python objects: all numbers, all dates, or texts. A cell that is none of these is refused with its row."""
    places, codes = {}, np.empty(len(values), dtype=np.int32)
    for row, value in enumerate(values):
        if _is_missing(value):
            codes[row] = -1
            continue
        try:
            codes[row] = places.setdefault((type(value), value), len(places))
        except TypeError:
            raise TypeError(f"column '{name}', row {row + 1}: has a {type(value).__name__}, which is neither a number nor "
                            "text nor a date") from None
    found = [value for _, value in places]
    mask = (codes < 0).view(np.uint8) if (codes < 0).any() else None
    truths = (bool, np.bool_)
    if found and all(isinstance(each, (numbers.Real, decimal.Decimal)) and not isinstance(each, truths) for each in found):
        table = np.array([_float(name, each) for each in found] or [np.nan])
        return memory.add_numbers(name, np.where(codes < 0, np.nan, table[codes]), None)
    if found and all(isinstance(each, datetime.date) for each in found):
        zoned = [isinstance(each, datetime.datetime) and each.tzinfo is not None for each in found]
        plain = [each.astimezone(datetime.timezone.utc).replace(tzinfo=None) if zone else each
                 for each, zone in zip(found, zoned)]
        table = np.array(plain, dtype="datetime64[us]")
        cells = np.where(codes < 0, np.datetime64("NaT", "us"), table[codes])
        if any(zoned):
            memory.add_moments(name, np.ascontiguousarray(cells).view(np.int64), _PER_DAY["us"], mask)
            return None
        return _add_moments(memory, name, cells)
    try:
        levels = [_level_text(name, each) for each in found]
    except TypeError as error:
        which = next(i for i, each in enumerate(found) if not _has_text(name, each))
        row = int(np.argmax(codes == which)) + 1
        raise TypeError(f"row {row}: {error}") from None
    return _add_codes(memory, name, codes, levels)


def _float(name, value):
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"column '{name}' has {str(value)[:20]}..., which is too large for a double") from None


def _has_text(name, value):
    try:
        _level_text(name, value)
    except (TypeError, ValueError):
        return False
    return True
