"""HIP as a Python program has it, through the wheel hip-python: devices, memory, a module, and hiprtc.

Arguments: the first number of the version that is expected, and a code object with the kernel `scale`.
"""

import ctypes
import sys

from hip import hip, hiprtc


def good(results):
    """The results of a call, which must be good."""
    error, *values = results if isinstance(results, tuple) else (results,)
    if error not in (hip.hipError_t.hipSuccess, hiprtc.hiprtcResult.HIPRTC_SUCCESS):
        raise RuntimeError(f"{error!r}")
    return values[0] if len(values) == 1 else tuple(values)


def equal(found, wanted):
    """Found is wanted."""
    if found != wanted:
        raise AssertionError(f"{found!r} is not {wanted!r}")


def filled(kind, call, argument):
    """A struct that a call fills in: wheels before 10 take it as an argument, later ones return it."""
    try:
        return good(call(argument))
    except TypeError:
        found = kind()
        good(call(found, argument))
        return found


def text(value):
    """A text, which wheels before 10 give as bytes."""
    return value if isinstance(value, str) else bytes(value).split(b"\0")[0].decode()


def run(code, name):
    """Runs a kernel of a code object: each number times a factor."""
    count, factor = 256, 3.0
    numbers = (ctypes.c_float * count)(*range(count))
    memory = good(hip.hipMalloc(ctypes.sizeof(numbers)))
    good(hip.hipMemcpy(memory, numbers, ctypes.sizeof(numbers), hip.hipMemcpyKind.hipMemcpyHostToDevice))
    module = good(hip.hipModuleLoadData(code))
    kernel = good(hip.hipModuleGetFunction(module, name))
    stream = good(hip.hipStreamCreate())
    good(
        hip.hipModuleLaunchKernel(
            kernel, 4, 1, 1, 64, 1, 1, 0, stream, None, (memory, ctypes.c_float(factor), ctypes.c_int(count))
        )
    )
    good(hip.hipStreamSynchronize(stream))
    good(hip.hipMemcpy(numbers, memory, ctypes.sizeof(numbers), hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    equal(list(numbers), [factor * number for number in range(count)])
    good(hip.hipStreamDestroy(stream))
    good(hip.hipModuleUnload(module))
    good(hip.hipFree(memory))


def properties(major):
    """The struct of properties, and what else says the same."""
    equal(good(hip.hipRuntimeGetVersion()) // 10000000, major)
    equal(good(hip.hipGetDeviceCount()), 1)
    found = filled(hip.hipDeviceProp_t, hip.hipGetDeviceProperties, 0)
    attribute = hip.hipDeviceAttribute_t

    def ask(which):
        return good(hip.hipDeviceGetAttribute(which, 0))

    equal(text(found.gcnArchName).split(":")[0], "gfx90a")
    equal(found.warpSize, 64)
    equal(found.warpSize, ask(attribute.hipDeviceAttributeWarpSize))
    equal(found.multiProcessorCount, ask(attribute.hipDeviceAttributeMultiprocessorCount))
    equal(found.maxThreadsPerBlock, ask(attribute.hipDeviceAttributeMaxThreadsPerBlock))
    equal(found.sharedMemPerBlock, ask(attribute.hipDeviceAttributeMaxSharedMemoryPerBlock))
    equal(found.clockRate, ask(attribute.hipDeviceAttributeClockRate))
    equal(found.l2CacheSize, ask(attribute.hipDeviceAttributeL2CacheSize))
    equal(found.pciBusID, ask(attribute.hipDeviceAttributePciBusId))
    equal(found.cooperativeLaunch, ask(attribute.hipDeviceAttributeCooperativeLaunch))
    equal((found.major, found.minor), (9, 0))
    equal(found.totalGlobalMem, good(hip.hipDeviceTotalMem(0)))
    equal(found.totalGlobalMem, good(hip.hipMemGetInfo())[1])
    name = good(hip.hipDeviceGetName(256, 0))
    equal(text(name), text(found.name))
    return text(found.gcnArchName)


def pointers():
    """The struct of pointer attributes, whose numbers are those of HIP 6."""
    memory = good(hip.hipMalloc(4096))

    def attributes(pointer):
        return filled(hip.hipPointerAttribute_t, hip.hipPointerGetAttributes, pointer)

    found = attributes(memory)
    equal(found.type, hip.hipMemoryType.hipMemoryTypeDevice)
    equal(found.device, 0)
    managed = good(hip.hipMallocManaged(4096, hip.hipMemAttachGlobal))
    found = attributes(managed)
    equal(found.type, hip.hipMemoryType.hipMemoryTypeManaged)
    good(hip.hipFree(managed))
    good(hip.hipFree(memory))


def compile_and_run(arch):
    """Runs a kernel from its source."""
    source = b"""
    template <class T> __global__ void scale(T *p, T factor, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) p[i] *= factor;
    }
    """
    program = good(hiprtc.hiprtcCreateProgram(source, b"scale.hip", 0, None, None))
    good(hiprtc.hiprtcAddNameExpression(program, b"scale<float>"))
    options = [b"--offload-arch=" + arch.encode()]
    results = hiprtc.hiprtcCompileProgram(program, len(options), options)
    equal(good(hiprtc.hiprtcGetProgramLogSize(program)), 0)
    good(results)
    name = good(hiprtc.hiprtcGetLoweredName(program, b"scale<float>"))
    code = bytearray(good(hiprtc.hiprtcGetCodeSize(program)))
    good(hiprtc.hiprtcGetCode(program, code))
    run(code, name)
    # The name was the program's.
    good(hiprtc.hiprtcDestroyProgram(program.createRef()))


def main():
    arch = properties(int(sys.argv[1]))
    pointers()
    with open(sys.argv[2], "rb") as file:
        run(file.read(), b"scale")
    compile_and_run(arch)
    print("hip-python: all as it should be")


main()
