/* The whole interface between Assay and a candidate kernel written in C or C++.
 *
 *   #include <assay/candidate.h>
 *
 *   ASSAY_KERNEL(run) {                                // entry_point "kernel.cpp::run"
 *     const DLTensor* x = assay_input(call, 0);        // inputs in the definition's order, read-only
 *     const double scale = assay_scalar(call, 1);      // an input without a shape is a scalar
 *     const DLTensor* y = assay_output(call, 0);       // outputs in the definition's order, destination-passing style
 *     ...                                              // write every element of every output
 *     return 0;                                        // anything else fails the candidate
 *   }
 *
 * On a CUDA device the tensors lie in its memory, the device is current, and all work must be enqueued on the stream
 * assay_stream(call), or be finished before the entry point returns; the entry point need not wait for the stream.
 *
 * Tensors are DLPack's DLTensor: row-major, contiguous (strides says so too), byte_offset 0, aligned to 64 bytes. They
 * belong to Assay and are valid during the call only. Inputs are mapped read-only: writing to one ends the evaluation.
 * What an output holds before the call is arbitrary. The entry point is called many times in one process,
 * from one thread; it may start threads of its own and must have joined or parked them when it returns.
 *
 * The layout of these structures is fixed; `abi_version` changes if it ever must. */
#ifndef ASSAY_CANDIDATE_H
#define ASSAY_CANDIDATE_H

#include <dlpack/dlpack.h>
#include <stdint.h>

#define ASSAY_ABI_VERSION 2

typedef enum assay_argument_kind {
  ASSAY_TENSOR = 1,
  ASSAY_FLOAT = 2,
  ASSAY_INTEGER = 3,
  ASSAY_BOOLEAN = 4
} assay_argument_kind;

/* One argument: `kind` says which member of the union holds it. */
typedef struct assay_argument {
  int32_t kind;
  int32_t reserved;
  union {
    const DLTensor* tensor;
    double float_value;
    int64_t integer_value; /* also booleans: 0 or 1 */
  } value;
} assay_argument;

typedef struct assay_call {
  int32_t abi_version;
  int32_t input_count;
  int32_t output_count;
  int32_t reserved;
  const assay_argument* inputs;
  const assay_argument* outputs;
  void* stream; /* a cudaStream_t; NULL on the CPU. Since version 2 */
} assay_call;

typedef int32_t (*assay_kernel_function)(const assay_call* call);

#ifdef __cplusplus
#define ASSAY_EXTERN_C extern "C"
#define ASSAY_TO_DOUBLE(X) static_cast<double>(X)
#else
#define ASSAY_EXTERN_C
#define ASSAY_TO_DOUBLE(X) ((double)(X))
#endif

static inline const DLTensor* assay_input(const assay_call* call, int32_t index) {
  return call->inputs[index].value.tensor;
}
static inline const DLTensor* assay_output(const assay_call* call, int32_t index) {
  return call->outputs[index].value.tensor;
}
/* The stream on which to enqueue work: cast it to cudaStream_t. */
static inline void* assay_stream(const assay_call* call) { return call->stream; }
/* A scalar input as a double, whatever its kind. */
static inline double assay_scalar(const assay_call* call, int32_t index) {
  const assay_argument* argument = &call->inputs[index];
  return argument->kind == ASSAY_FLOAT ? argument->value.float_value : ASSAY_TO_DOUBLE(argument->value.integer_value);
}

/* Defines the entry point NAME: a function int32_t(const assay_call* call) exported as assay_kernel_NAME. */
#define ASSAY_KERNEL(NAME) \
  ASSAY_EXTERN_C __attribute__((visibility("default"))) int32_t assay_kernel_##NAME(const assay_call* call)

#endif
