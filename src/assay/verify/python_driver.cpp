#include <assay/verify/python_driver.hpp>

namespace assay::verify {
namespace {

// Requests are {"load": {"source", "inputs", "outputs"}} and {"call": {"shapes", "scalars", "results"}} with the bytes
// of the tensors, one after the other, as payload. Answers are {"loaded": versions}, {"outputs": [kinds]} with eight
// bytes an element ("f" float64, "i" int64), or {"failed": {"what", "text", "where"}}.
constexpr std::string_view kDriver = R"python(
import ast, io, json, linecache, os, struct, sys, traceback

CHANNEL = 3
LONGEST_TEXT = 2000
MOST_PRINTED = 1 << 18
SOURCE_NAME = "<reference>"


class Refused(Exception):
    """What the reference returned is not what the definition says."""


class Printed(io.TextIOBase):
    """Keeps the first of what is printed, so that the limit of the file behind it is never met."""

    def __init__(self, stream):
        self.stream = stream
        self.left = MOST_PRINTED

    def write(self, text):
        kept = text[:self.left]
        self.left -= len(kept)
        self.stream.write(kept)
        self.stream.flush()
        return len(text)


def read_exactly(size):
    data = bytearray(size)
    view = memoryview(data)
    at = 0
    while at < size:
        got = os.readv(CHANNEL, [view[at:at + (1 << 30)]])
        if got == 0:
            os._exit(0)
        at += got
    return data


def write_all(data):
    view = memoryview(data).cast("B")
    at = 0
    while at < len(view):
        at += os.write(CHANNEL, view[at:at + (1 << 30)])


def answer(header, payload=()):
    text = json.dumps(header).encode()
    write_all(struct.pack("<QQ", len(text), sum(len(part) for part in payload)) + text)
    for part in payload:
        write_all(part)


def failure(what, error):
    """The last line of the traceback, and the line of the reference that it came from."""
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == SOURCE_NAME:
            where = "line %d: %s" % (frame.lineno, (frame.line or "").strip())
    if isinstance(error, SyntaxError) and error.lineno:
        where = "line %d: %s" % (error.lineno, (error.text or "").strip())
    header = {"what": what, "text": text[:LONGEST_TEXT], "where": where[:LONGEST_TEXT]}
    if isinstance(error, ImportError):
        header["module"] = str(error.name or "")[:200]
    return {"failed": header}


def imports(tree, module):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(name.name.split(".")[0] == module for name in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == module:
            return True
    return False


def small_float_table(exponent_bits, mantissa_bits, bias, kind):
    """Values of all codes of a small floating type; `kind` says what its largest exponent means."""
    values = []
    for code in range(1 << (1 + exponent_bits + mantissa_bits)):
        sign = -1.0 if code >> (exponent_bits + mantissa_bits) else 1.0
        exponent = code >> mantissa_bits & (1 << exponent_bits) - 1
        mantissa = code & (1 << mantissa_bits) - 1
        top = exponent == (1 << exponent_bits) - 1
        if kind == "ieee" and top:
            value = float("nan") if mantissa else float("inf")
        elif kind == "fn" and top and mantissa == (1 << mantissa_bits) - 1:
            value = float("nan")
        elif exponent == 0:
            value = mantissa * 2.0 ** (1 - bias - mantissa_bits)
        else:
            value = (1 + mantissa * 2.0 ** -mantissa_bits) * 2.0 ** (exponent - bias)
        values.append(sign * value)
    return values


class Numpy:
    """numpy has no 16-bit brain floats and nothing smaller: those come as float32, whose values are the same."""

    PLAIN = {"float32": "<f4", "float16": "<f2", "int64": "<i8", "int32": "<i4", "int16": "<i2", "int8": "i1",
             "bool": "?"}
    SMALL = {"float8_e4m3fn": (4, 3, 7, "fn"), "float8_e5m2": (5, 2, 15, "ieee"), "float4_e2m1": (2, 1, 1, "all")}

    def __init__(self):
        import numpy
        self.np = numpy
        self.version = "numpy " + numpy.__version__

    def tensor(self, data, dtype, shape):
        np = self.np
        if dtype in self.PLAIN:
            return np.frombuffer(data, self.PLAIN[dtype]).reshape(shape)
        if dtype == "bfloat16":
            return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
        codes = np.frombuffer(data, "u1")
        if dtype == "float4_e2m1":
            codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(-1)
        table = np.array(small_float_table(*self.SMALL[dtype]), "f4")
        count = 1
        for extent in shape:
            count *= extent
        return table[codes[:count]].reshape(shape)

    def result(self, value):
        """(name of the type, shape, array)"""
        array = self.np.asarray(value)
        return array.dtype.name, list(array.shape), array

    def bytes_of(self, array, kind):
        return self.np.ascontiguousarray(array.astype("<f8" if kind == "f" else "<i8")).tobytes()

    def extremes(self, array):
        return (int(array.min()), int(array.max())) if array.size else (0, 0)


class Torch:
    def __init__(self):
        import torch
        self.torch = torch
        torch.set_num_threads(1)
        self.version = "torch " + torch.__version__

    def tensor(self, data, dtype, shape):
        torch = self.torch
        name = "float4_e2m1fn_x2" if dtype == "float4_e2m1" else dtype
        if not hasattr(torch, name):
            raise ImportError("this torch has no %s" % name, name="torch")
        if dtype == "float4_e2m1":
            shape = list(shape[:-1]) + [shape[-1] // 2]
        if not data:
            return torch.empty(shape, dtype=getattr(torch, name))
        return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(getattr(torch, name)).reshape(shape)

    def result(self, value):
        tensor = value if self.torch.is_tensor(value) else self.torch.as_tensor(value)
        tensor = tensor.detach().cpu()
        return str(tensor.dtype).split(".")[-1], list(tensor.shape), tensor

    def bytes_of(self, tensor, kind):
        torch = self.torch
        wide = tensor.to(torch.float32).to(torch.float64) if kind == "f" and tensor.element_size() < 4 else tensor
        wide = wide.to(torch.float64 if kind == "f" else torch.int64).contiguous().reshape(-1)
        try:
            return wide.numpy().tobytes()
        except (ImportError, RuntimeError):  # A torch without numpy.
            return struct.pack("<%d%s" % (wide.numel(), "d" if wide.is_floating_point() else "q"), *wide.tolist())

    def extremes(self, tensor):
        return (int(tensor.min()), int(tensor.max())) if tensor.numel() else (0, 0)


def open_framework(name):
    """An installation that is broken is as good as missing, and no fault of the reference."""
    try:
        return {"torch": Torch, "numpy": Numpy}[name]()
    except ImportError:
        raise
    except Exception as error:
        raise ImportError("%s does not work: %s" % (name, error), name=name)


RANGES = {"int64": (-2**63, 2**63 - 1), "int32": (-2**31, 2**31 - 1), "int16": (-2**15, 2**15 - 1),
          "int8": (-128, 127)}


class Reference:
    def __init__(self, request):
        source = request["source"]
        self.inputs = request["inputs"]
        self.outputs = request["outputs"]
        linecache.cache[SOURCE_NAME] = (len(source), None, source.splitlines(True), SOURCE_NAME)
        tree = ast.parse(source, SOURCE_NAME)
        self.framework = open_framework("torch" if imports(tree, "torch") else "numpy")
        module = {"__name__": "reference"}
        exec(compile(tree, SOURCE_NAME, "exec"), module)
        self.run = module["run"]

    def version(self):
        return "python %d.%d.%d, %s" % (sys.version_info[:3] + (self.framework.version,))

    def arguments(self, request, payload):
        arguments = []
        at = 0
        scalars = iter(request["scalars"])
        for given, shape in zip(self.inputs, request["shapes"]):
            if shape is None:
                kind, text = next(scalars)
                arguments.append({"f": float, "i": int, "b": lambda word: word == "true"}[kind](text))
                continue
            size = given["bits"]
            for extent in shape:
                size *= extent
            size = (size + 7) // 8
            arguments.append(self.framework.tensor(payload[at:at + size], given["dtype"], shape))
            at += size
        return arguments

    def convert(self, index, value, shape):
        wanted = self.outputs[index]
        name, dtype = wanted["name"], wanted["dtype"]
        got_type, got_shape, array = self.framework.result(value)
        if got_shape != shape:
            raise Refused("output %s has the shape %s, and the definition says %s" % (name, got_shape, shape))
        floating = dtype.startswith("float") or dtype == "bfloat16"
        if floating:
            allowed = {dtype, "float32", "float64"}
        else:
            allowed = {"bool"} if dtype == "bool" else {"int64", "int32", "int16", "int8", "uint8", "uint16", "uint32",
                                                        "uint64"}
        if got_type not in allowed:
            raise Refused("output %s has the type %s, and the definition says %s" % (name, got_type, dtype))
        if not floating and dtype != "bool":
            least, most = self.framework.extremes(array)
            if least < RANGES[dtype][0] or most > RANGES[dtype][1]:
                raise Refused("output %s has values from %d to %d, beyond %s" % (name, least, most, dtype))
        kind = "f" if floating else "i"
        return kind, self.framework.bytes_of(array, kind)

    def call(self, request, payload):
        arguments = self.arguments(request, payload)
        values = self.run(*arguments)
        shapes = request["results"]
        if not isinstance(values, (tuple, list)):
            values = [values]
        if len(values) != len(shapes):
            raise Refused("run returns %d values, and the definition has %d outputs" % (len(values), len(shapes)))
        results = [self.convert(index, value, shapes[index]) for index, value in enumerate(values)]
        answer({"outputs": [kind for kind, _ in results]}, [data for _, data in results])


def serve():
    sys.stdout = sys.stderr = Printed(sys.__stderr__)
    reference = None
    while True:
        header_size, payload_size = struct.unpack("<QQ", read_exactly(16))
        request = json.loads(read_exactly(header_size).decode())
        payload = read_exactly(payload_size)
        try:
            if "load" in request:
                reference = Reference(request["load"])
                answer({"loaded": reference.version()})
            else:
                reference.call(request["call"], payload)
        except Refused as error:
            answer({"failed": {"what": "outputs", "text": str(error)[:LONGEST_TEXT], "where": ""}})
        except ImportError as error:
            answer(failure("module", error))
        except MemoryError as error:
            answer(failure("memory", error))
        except BaseException as error:
            answer(failure("raised", error))


serve()
)python";

}  // namespace

std::string_view python_driver() { return kDriver; }

}  // namespace assay::verify
