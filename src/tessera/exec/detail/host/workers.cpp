#include <tessera/exec/detail/host/workers.h>

#include <pthread.h>

#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace tessera::detail::host {
namespace {

/// One call of run_claimed(). It lives on the stack of the caller, who waits until no helper holds it.
struct Job {
  void (*call)(void*, int);
  void* context;
  int workers;
  std::atomic<int> next{0};     ///< the first worker that nobody has claimed
  std::atomic<int> helpers{0};  ///< threads that may touch the job, without the caller
  // Under the pool's mutex:
  int calls_left;  ///< how many more helpers may be called
  int failed = std::numeric_limits<int>::max();
  std::exception_ptr failure;
  std::condition_variable is_alone;
  Job* next_open = nullptr;

  [[nodiscard]] bool has_work() const { return next.load(std::memory_order_relaxed) < workers; }
};

/// A thread of the pool, on its own stack: it never ends.
struct Helper {
  Signal called;
  Helper* next_idle = nullptr;
};

/// The helpers of the process. They sleep unless they are called, and they are as many as the largest job has
/// workers besides its caller.
class Pool {
 public:
  void run(Job& job) {
    open(job);
    call_helpers(job);
    work_on(job);
    (void)wait_briefly([&] { return job.helpers.load(std::memory_order_acquire) == 0; });
    std::unique_lock lock(mutex_);  // in any case: a helper lets go of the job and of the mutex together
    close(job);
    job.is_alone.wait(lock, [&] { return job.helpers == 0; });
  }

 private:
  void open(Job& job) {
    const std::scoped_lock lock(mutex_);
    job.next_open = open_jobs_;
    open_jobs_ = &job;
  }
  void close(Job& job) {
    Job** link = &open_jobs_;
    while (*link != &job) link = &(*link)->next_open;
    *link = job.next_open;
  }

  /// Claims workers until there are none.
  void work_on(Job& job) {
    for (int worker = job.next.fetch_add(1); worker < job.workers; worker = job.next.fetch_add(1)) {
      try {
        job.call(job.context, worker);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (worker > job.failed) continue;
        job.failed = worker;
        job.failure = std::current_exception();
      }
    }
  }

  /// Calls up to two helpers. They call two more each, so that nobody spends long with calling and a job that
  /// is soon done wakes few.
  void call_helpers(Job& job) {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock lock(mutex_);
      if (job.calls_left == 0 || !job.has_work()) return;
      --job.calls_left;
      if (idle_ != nullptr) {
        Helper& helper = *std::exchange(idle_, idle_->next_idle);
        lock.unlock();
        helper.called.give();
      } else if (started_ < job.workers - 1) {
        ++started_;
        lock.unlock();
        start_helper();
      }
    }
  }

  void start_helper() {
    try {
      std::thread([this] { be_helper(); }).detach();
    } catch (const std::exception&) {  // no thread or no memory for it: the others do its work
      const std::scoped_lock lock(mutex_);
      --started_;
    }
  }

  [[noreturn]] void be_helper() {
    Helper self;
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = open_jobs_;
      while (job != nullptr && !job->has_work()) job = job->next_open;
      if (job == nullptr) {
        self.called.reset();
        self.next_idle = std::exchange(idle_, &self);
        lock.unlock();
        self.called.wait();
        lock.lock();
        continue;
      }
      ++job->helpers;
      lock.unlock();
      call_helpers(*job);
      work_on(*job);
      lock.lock();
      if (--job->helpers == 0) job->is_alone.notify_one();
    }
  }

  std::mutex mutex_;
  Job* open_jobs_ = nullptr;
  Helper* idle_ = nullptr;  ///< the one that worked last comes first
  int started_ = 0;
};

/// Never destroyed: its threads sleep until the process ends.
Pool*& pool() {
  static Pool* current = new Pool;
  return current;
}

/// A forked process has none of the threads.
Pool& pool_of_process() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { pool() = new Pool; });
  (void)registered;
  return *pool();
}

}  // namespace

void run_claimed(int workers, void (*call)(void*, int), void* context) {
  Job job{.call = call, .context = context, .workers = workers, .calls_left = workers - 1};
  pool_of_process().run(job);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace tessera::detail::host
