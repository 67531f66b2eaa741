#pragma once
#include "../interface.hpp"
