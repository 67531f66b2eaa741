// Files that were built with a newer compiler, or on a newer system, than this machine's.
#pragma once

namespace tiltyard {

// Tells the loader that this machine's libraries have the versions for which stand_ins.cpp has all that files have been seen to want. A file
// that wants more of them is still refused, for the symbol that is missing. False where that cannot be done.
bool allow_newer_files();

}  // namespace tiltyard
