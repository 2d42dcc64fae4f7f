//@ package: librocsparse0 librocsparse-dev
//@ by-hand: the library is a download of 94 MB and takes 1.3 GB of disk
//@ flags: -lrocsparse
//@ ours: on AMD's libraries it has not been run, which load all of that code at the start
//@ run-on: gfx90a
//@ only-cc: hipcc
//@ only-opt: 3
// Debian's rocSPARSE, a binary with 1.3 GB of code objects that nobody here compiled: products, sorting and transposition
// of sparse matrices against the host's answers. Its sorts are rocPRIM's, its products choose a kernel by the row lengths.
#include "check.h"

#include <rocsparse/rocsparse.h>

#include <algorithm>
#include <numeric>

#define RS(call)                                                                          \
  do {                                                                                    \
    rocsparse_status check_s = (call);                                                    \
    if (check_s != rocsparse_status_success) {                                            \
      fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)check_s);    \
      exit(2);                                                                            \
    }                                                                                     \
  } while (0)

// A matrix in compressed rows, the columns of each in no order.
struct Csr {
  int m, n;
  std::vector<int> rows{0}, columns;
  std::vector<float> values;

  // Rows of very different lengths, some empty. The values are small whole numbers: every sum is exact.
  Csr(int m, int n, unsigned seed) : m(m), n(n) {
    Lcg lcg(seed);
    for (int row = 0; row < m; row++) {
      int length = row % 7 == 3 ? 0 : row == m / 2 ? n / 2 : 1 + (int)(lcg.next() >> 16) % 12;
      std::vector<int> all(n);
      std::iota(all.begin(), all.end(), 0);
      for (int k = 0; k < length; k++) {
        std::swap(all[k], all[k + (lcg.next() >> 16) % (n - k)]);
        columns.push_back(all[k]);
        values.push_back((float)((int)(lcg.next() >> 16) % 19 - 9));
      }
      rows.push_back((int)columns.size());
    }
  }
  int nnz() const { return (int)columns.size(); }
};

static rocsparse_handle handle;
static rocsparse_mat_descr descr;

template <class T> static void compare(const char* what, const T* device, const std::vector<T>& want) {
  auto got = to_host(device, want.size());
  size_t i = std::mismatch(want.begin(), want.end(), got.begin()).first - want.begin();
  EXPECT(i == want.size(), "%s: element %zu is %g, not %g", what, i, (double)got[i], (double)want[i]);
}

// The matrix on the device.
struct Device {
  int *rows, *columns;
  float* values;
  explicit Device(const Csr& a)
      : rows(to_device(a.rows)), columns(to_device(a.columns)), values(to_device(a.values)) {}
  ~Device() { 
    for (void* p : {(void*)rows, (void*)columns, (void*)values}) CK(hipFree(p));
  }
};

static void csrmv(const Csr& a) {
  Device d(a);
  std::vector<float> x(a.n), y(a.m), want(a.m);
  for (int i = 0; i < a.n; i++) x[i] = (float)(i % 11 - 5);
  for (int i = 0; i < a.m; i++) y[i] = (float)(i % 5);
  const float alpha = 2, beta = -1;
  for (int row = 0; row < a.m; row++) {
    float sum = 0;
    for (int k = a.rows[row]; k < a.rows[row + 1]; k++) sum += a.values[k] * x[a.columns[k]];
    want[row] = alpha * sum + beta * y[row];
  }
  float* dx = to_device(x);
  // Without and with what an analysis finds about the matrix.
  for (bool analysed : {false, true}) {
    float* dy = to_device(y);
    rocsparse_mat_info info = nullptr;
    if (analysed) {
      RS(rocsparse_create_mat_info(&info));
      RS(rocsparse_scsrmv_analysis(handle, rocsparse_operation_none, a.m, a.n, a.nnz(), descr, d.values, d.rows,
                                   d.columns, info));
    }
    RS(rocsparse_scsrmv(handle, rocsparse_operation_none, a.m, a.n, a.nnz(), &alpha, descr, d.values, d.rows,
                        d.columns, info, dx, &beta, dy));
    compare(analysed ? "csrmv, analysed" : "csrmv", dy, want);
    if (info) RS(rocsparse_destroy_mat_info(info));
    CK(hipFree(dy));
  }
  CK(hipFree(dx));
}

static void csrmm(const Csr& a) {
  Device d(a);
  const int columns = 9;
  std::vector<float> b((size_t)a.n * columns), c((size_t)a.m * columns, 1), want(c.size());
  for (size_t i = 0; i < b.size(); i++) b[i] = (float)((int)(i * 7 % 13) - 6);
  const float alpha = 3, beta = 2;
  for (int row = 0; row < a.m; row++)
    for (int col = 0; col < columns; col++) {
      float sum = 0;
      for (int k = a.rows[row]; k < a.rows[row + 1]; k++) sum += a.values[k] * b[(size_t)col * a.n + a.columns[k]];
      want[(size_t)col * a.m + row] = alpha * sum + beta;
    }
  float *db = to_device(b), *dc = to_device(c);
  RS(rocsparse_scsrmm(handle, rocsparse_operation_none, rocsparse_operation_none, a.m, columns, a.n, a.nnz(), &alpha,
                      descr, d.values, d.rows, d.columns, db, a.n, &beta, dc, a.m));
  compare("csrmm", dc, want);
  CK(hipFree(db));
  CK(hipFree(dc));
}

static void csrsort(const Csr& a) {
  Device d(a);
  std::vector<int> order(a.nnz()), columns = a.columns;
  std::iota(order.begin(), order.end(), 0);
  for (int row = 0; row < a.m; row++)
    std::sort(order.begin() + a.rows[row], order.begin() + a.rows[row + 1],
              [&](int i, int j) { return a.columns[i] < a.columns[j]; });
  std::vector<float> values(a.nnz());
  for (int k = 0; k < a.nnz(); k++) columns[k] = a.columns[order[k]], values[k] = a.values[order[k]];
  int* permutation;
  float* sorted;
  size_t bytes;
  void* storage;
  CK(hipMalloc((void**)&permutation, a.nnz() * sizeof(int)));
  CK(hipMalloc((void**)&sorted, a.nnz() * sizeof(float)));
  RS(rocsparse_create_identity_permutation(handle, a.nnz(), permutation));
  RS(rocsparse_csrsort_buffer_size(handle, a.m, a.n, a.nnz(), d.rows, d.columns, &bytes));
  CK(hipMalloc(&storage, bytes));
  RS(rocsparse_csrsort(handle, a.m, a.n, a.nnz(), descr, d.rows, d.columns, permutation, storage));
  RS(rocsparse_sgthr(handle, a.nnz(), d.values, sorted, permutation, rocsparse_index_base_zero));
  compare("columns of csrsort", d.columns, columns);
  compare("permutation of csrsort", permutation, order);
  compare("values of csrsort", sorted, values);
  for (void* p : {(void*)permutation, (void*)sorted, storage}) CK(hipFree(p));
}

static void csr2csc(const Csr& a) {
  Device d(a);
  std::vector<int> starts(a.n + 1), rows;
  std::vector<float> values;
  for (int column = 0; column < a.n; column++) {
    for (int row = 0; row < a.m; row++)
      for (int k = a.rows[row]; k < a.rows[row + 1]; k++)
        if (a.columns[k] == column) rows.push_back(row), values.push_back(a.values[k]);
    starts[column + 1] = (int)rows.size();
  }
  int *drows, *dstarts;
  float* dvalues;
  size_t bytes;
  void* storage;
  CK(hipMalloc((void**)&drows, a.nnz() * sizeof(int)));
  CK(hipMalloc((void**)&dstarts, (a.n + 1) * sizeof(int)));
  CK(hipMalloc((void**)&dvalues, a.nnz() * sizeof(float)));
  RS(rocsparse_csr2csc_buffer_size(handle, a.m, a.n, a.nnz(), d.rows, d.columns, rocsparse_action_numeric, &bytes));
  CK(hipMalloc(&storage, bytes));
  RS(rocsparse_scsr2csc(handle, a.m, a.n, a.nnz(), d.values, d.rows, d.columns, dvalues, drows, dstarts,
                        rocsparse_action_numeric, rocsparse_index_base_zero, storage));
  compare("column starts of csr2csc", dstarts, starts);
  compare("rows of csr2csc", drows, rows);
  compare("values of csr2csc", dvalues, values);
  for (void* p : {(void*)drows, (void*)dstarts, (void*)dvalues, storage}) CK(hipFree(p));
}

int main() {
  RS(rocsparse_create_handle(&handle));
  RS(rocsparse_create_mat_descr(&descr));
  for (const Csr& a : {Csr(5, 40, 1), Csr(700, 300, 2)}) {
    csrmv(a);
    csrmm(a);
    csrsort(a);
    csr2csc(a);
  }
  EXPECT(rocsparse_create_identity_permutation(nullptr, 1, nullptr) == rocsparse_status_invalid_handle,
         "a call without a handle");
  RS(rocsparse_destroy_mat_descr(descr));
  RS(rocsparse_destroy_handle(handle));
  return verdict("rocsparse");
}
