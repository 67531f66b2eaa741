// Stands in the place of a newer standard library when a test's file is linked; nothing of it ever runs.
#define STAND_IN(name, symbol) \
    void name() __asm__(symbol); \
    void name() {}

extern "C" {
STAND_IN(streams, "_ZSt21ios_base_library_initv")
STAND_IN(replace, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm")
STAND_IN(terminate, "__cxa_call_terminate")
}
