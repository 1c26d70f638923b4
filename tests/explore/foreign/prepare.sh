# SPDX-License-Identifier: MIT
# The fault that the environment asks for: 0 for none.
echo "-DFAULT=${FAULT:-0}"
