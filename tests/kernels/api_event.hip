// Events: made, recorded, asked, waited for, measured between; and what is refused.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"

int main() {
  hipEvent_t e = nullptr, f = nullptr, untimed = nullptr;
  hipStream_t s;
  float ms = -1;
  CK(hipStreamCreate(&s));
  OK(hipEventCreate(&e));
  IS(e != nullptr);
  E(InvalidValue, hipEventCreate(nullptr));
  const unsigned good[] = {hipEventDefault, hipEventBlockingSync, hipEventDisableTiming, hipEventReleaseToDevice, hipEventReleaseToSystem,
                           hipEventBlockingSync | hipEventDisableTiming, hipEventInterprocess | hipEventDisableTiming};
  for (unsigned flags : good) {
    OK(hipEventCreateWithFlags(&f, flags));
    OK(hipEventQuery(f));
    OK(hipEventSynchronize(f));
    OK(hipEventRecord(f, s));
    OK(hipEventSynchronize(f));
    OK(hipEventQuery(f));
    OK(hipEventDestroy(f));
  }
  for (unsigned bad : {0x8u, 0x10u, 0x1000u}) E(InvalidValue, hipEventCreateWithFlags(&f, bad));
  E(InvalidValue, hipEventCreateWithFlags(&f, hipEventReleaseToDevice | hipEventReleaseToSystem));
  OK(hipEventCreateWithFlags(&f, hipEventInterprocess));
  E(InvalidValue, hipEventCreateWithFlags(nullptr, 0));

  // Never recorded: done, and without a time.
  OK(hipEventCreate(&f));
  OK(hipEventQuery(e));
  OK(hipEventSynchronize(e));
  E(InvalidHandle, hipEventElapsedTime(&ms, e, f));
  void* memory;
  CK(hipMalloc(&memory, 1 << 20));
  for (hipStream_t in : {s, (hipStream_t) nullptr, hipStreamPerThread}) {
    OK(hipEventRecord(e, in));
    OK(hipMemsetAsync(memory, 1, 1 << 20, in));
    OK(hipEventRecord(f, in));
    OK(hipEventSynchronize(f));
    OK(hipEventElapsedTime(&ms, e, f));
    IS(ms >= 0 && ms < 60000);
    OK(hipEventElapsedTime(&ms, e, e));
    EQ(ms, 0);
  }
  // One without times.
  OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  OK(hipEventRecord(untimed, s));
  OK(hipEventSynchronize(untimed));
  E(InvalidHandle, hipEventElapsedTime(&ms, e, untimed));
  E(InvalidHandle, hipEventElapsedTime(&ms, untimed, e));
  E(InvalidValue, hipEventElapsedTime(nullptr, e, f));
  E(InvalidHandle, hipEventElapsedTime(&ms, nullptr, f));
  E(InvalidHandle, hipEventElapsedTime(&ms, e, nullptr));
  // No event.
  E(InvalidHandle, hipEventRecord(nullptr, s));
  E(InvalidHandle, hipEventQuery(nullptr));
  E(InvalidHandle, hipEventSynchronize(nullptr));
  E(InvalidHandle, hipEventDestroy(nullptr));
  // One that is gone.
  OK(hipEventDestroy(untimed));
  ONLY_OURS("AMD's looks at what is gone") {
    E(InvalidHandle, hipEventDestroy(untimed));
    E(InvalidHandle, hipEventRecord(untimed, s));
    E(InvalidHandle, hipEventQuery(untimed));
    E(InvalidHandle, hipEventSynchronize(untimed));
    E(InvalidHandle, hipStreamWaitEvent(s, untimed, 0));
    E(InvalidHandle, hipEventElapsedTime(&ms, e, untimed));
  }
  {
    Capturing capture;
    OK(hipEventRecord(e, capture));
    DIFFERS(CapturedEvent, Success, "it was recorded in a capture", hipEventQuery(e));
    DIFFERS(CapturedEvent, Success, "it was recorded in a capture", hipEventSynchronize(e));
  }
  OK(hipEventDestroy(e));
  OK(hipEventDestroy(f));
  CK(hipFree(memory));
  CK(hipStreamDestroy(s));
  return api_verdict("api_event");
}
