#include "newer_files.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

// A library lists the versions of its symbols in a chain of records (its .gnu.version_d), each with the distance to the next and, in an
// auxiliary record, the distance of its name from the library's strings. Further records are hung on its end in memory. Distances are of 32
// bits and go up, so the records lie above the library.

namespace tiltyard {

namespace {

struct Record {
    Elf64_Verdef version;
    Elf64_Verdaux auxiliary;
    char name[36];
};

constexpr size_t block_bytes = 4096;

uint32_t hash_of(const char* name) {
    // As the ABI has it: gabi, chapter 5, "Hash Table".
    uint32_t hash = 0;
    for (; *name != '\0'; ++name) {
        hash = (hash << 4) + static_cast<unsigned char>(*name);
        uint32_t high = hash & 0xf0000000;
        hash = (hash ^ (high >> 24)) & ~high;
    }
    return hash;
}

// Memory within reach above an address.
char* block_above(uintptr_t address) {
    constexpr uintptr_t step = 1 << 20, reach = 0xf0000000;
    uintptr_t from = (address + step) & ~(step - 1);
    for (uintptr_t place = from; place - address < reach; place += step) {
        void* block = mmap(reinterpret_cast<void*>(place), block_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (block == MAP_FAILED) continue;
        // An older kernel takes the address for a hint.
        if (reinterpret_cast<uintptr_t>(block) - address < reach) return static_cast<char*>(block);
        munmap(block, block_bytes);
    }
    return nullptr;
}

// What the segment at an address allows: PROT_READ, perhaps PROT_EXEC; PROT_NONE where there is none.
int protection_of(uintptr_t address) {
    struct Wanted {
        uintptr_t address;
        int protection;
    } wanted{address, PROT_NONE};
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* given) {
            auto* wanted = static_cast<Wanted*>(given);
            for (size_t i = 0; i < object->dlpi_phnum; ++i) {
                const Elf64_Phdr& segment = object->dlpi_phdr[i];
                uintptr_t start = object->dlpi_addr + segment.p_vaddr;
                if (segment.p_type != PT_LOAD || wanted->address < start || wanted->address - start >= segment.p_memsz) continue;
                wanted->protection = (segment.p_flags & PF_R ? PROT_READ : 0) | (segment.p_flags & PF_W ? PROT_WRITE : 0) |
                                     (segment.p_flags & PF_X ? PROT_EXEC : 0);
            }
            return 0;
        },
        &wanted);
    return wanted.protection;
}

bool add_versions(const char* library, std::initializer_list<const char*> versions) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    link_map* map = nullptr;
    if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return false;
    auto placed = [map](uintptr_t address) { return address < map->l_addr ? address + map->l_addr : address; };
    uintptr_t strings = 0, definitions = 0;
    for (const Elf64_Dyn* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = placed(entry->d_un.d_ptr);
        if (entry->d_tag == DT_VERDEF) definitions = placed(entry->d_un.d_ptr);
    }
    if (strings == 0 || definitions == 0) return false;
    auto* last = reinterpret_cast<Elf64_Verdef*>(definitions);
    uint16_t number = last->vd_ndx;
    while (last->vd_next != 0) {
        last = reinterpret_cast<Elf64_Verdef*>(reinterpret_cast<char*>(last) + last->vd_next);
        number = last->vd_ndx;
    }
    char* block = block_above(strings > definitions ? strings : definitions);
    if (block == nullptr) return false;
    auto* record = reinterpret_cast<Record*>(block);
    for (const char* name : versions) {
        *record = {};
        record->version.vd_version = VER_DEF_CURRENT;
        record->version.vd_ndx = ++number;
        record->version.vd_cnt = 1;
        record->version.vd_hash = hash_of(name);
        record->version.vd_aux = offsetof(Record, auxiliary);
        record->version.vd_next = sizeof(Record);
        std::strncpy(record->name, name, sizeof record->name - 1);
        record->auxiliary.vda_name = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(record->name) - strings);
        ++record;
    }
    (record - 1)->version.vd_next = 0;
    mprotect(block, block_bytes, PROT_READ);
    // One page alone, and with all that it allowed before: the next one may be code, and so may the rest of this one.
    uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(&last->vd_next) & ~(page_bytes - 1));
    int allowed = protection_of(reinterpret_cast<uintptr_t>(last));
    if (allowed == PROT_NONE || mprotect(page, page_bytes, allowed | PROT_WRITE) != 0) return false;
    last->vd_next = static_cast<uint32_t>(block - reinterpret_cast<char*>(last));
    mprotect(page, page_bytes, allowed);
    return true;
}

}  // namespace

bool allow_newer_files() {
    static const bool allowed = [] {
        bool compilers = add_versions("libstdc++.so.6", {"GLIBCXX_3.4.31", "GLIBCXX_3.4.32", "GLIBCXX_3.4.33", "CXXABI_1.3.14", "CXXABI_1.3.15"});
        bool systems = add_versions("libc.so.6", {"GLIBC_2.37", "GLIBC_2.38", "GLIBC_2.39"});
        return compilers && systems;
    }();
    return allowed;
}

}  // namespace tiltyard
