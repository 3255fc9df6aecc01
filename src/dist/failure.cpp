// Kinds are the types that callers tell apart, a derived one before its base. A derived type that is not here
// arrives as its base.
#include "dist/failure.hpp"

#include <new>
#include <stdexcept>
#include <system_error>

#include "giga/base/error.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {
namespace {

constexpr std::int64_t kStopped = 0, kNoSuchColumn = 1, kOption = 2, kData = 3, kInput = 4, kLibrary = 5,
                       kCannotCreate = 6, kIo = 7, kResource = 8, kMemory = 9, kSystem = 10,
                       kInvalidArgument = 11, kLogic = 12, kOther = 13;

}  // namespace

bool Failure::of_the_machine() const {
  switch (kind) {
    case kInput:
    case kLibrary:
    case kCannotCreate:
    case kIo:
    case kResource:
    case kMemory:
    case kSystem: return true;
    default: return false;
  }
}

Failure failure_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Stopped& error) {
    return {kStopped, error.what()};
  } catch (const NoSuchColumn& error) {
    return {kNoSuchColumn, error.what()};
  } catch (const OptionError& error) {
    return {kOption, error.what()};
  } catch (const DataError& error) {
    return {kData, error.what()};
  } catch (const InputMissing& error) {
    return {kInput, error.what()};
  } catch (const LibraryMissing& error) {
    return {kLibrary, error.what()};
  } catch (const CannotCreate& error) {
    return {kCannotCreate, error.what()};
  } catch (const IoError& error) {
    return {kIo, error.what()};
  } catch (const ResourceError& error) {
    return {kResource, error.what()};
  } catch (const std::bad_alloc&) {
    return {kMemory, "out of memory; use fewer rows or columns, more ranks, or machines with more memory"};
  } catch (const std::system_error& error) {
    return {kSystem, std::string("the system refuses: ") + error.what()};
  } catch (const std::invalid_argument& error) {
    return {kInvalidArgument, error.what()};
  } catch (const std::logic_error& error) {
    return {kLogic, error.what()};
  } catch (const std::exception& error) {
    return {kOther, error.what()};
  } catch (...) {
    return {kOther, "unknown exception"};
  }
}

std::exception_ptr exception_of(const Failure& failure) {
  switch (failure.kind) {
    case kStopped: return std::make_exception_ptr(Stopped());
    case kNoSuchColumn: return std::make_exception_ptr(NoSuchColumn(failure.words));
    case kOption: return std::make_exception_ptr(OptionError(failure.words));
    case kData: return std::make_exception_ptr(DataError(failure.words));
    case kInput: return std::make_exception_ptr(InputMissing(failure.words));
    case kLibrary: return std::make_exception_ptr(LibraryMissing(failure.words));
    case kCannotCreate: return std::make_exception_ptr(CannotCreate(failure.words));
    case kIo: return std::make_exception_ptr(IoError(failure.words));
    case kResource:
    case kMemory:
    case kSystem: return std::make_exception_ptr(ResourceError(failure.words));
    case kInvalidArgument: return std::make_exception_ptr(std::invalid_argument(failure.words));
    case kLogic: return std::make_exception_ptr(std::logic_error(failure.words));
    default: return std::make_exception_ptr(std::runtime_error(failure.words));
  }
}

}  // namespace giga
