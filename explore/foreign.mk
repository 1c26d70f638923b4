# SPDX-License-Identifier: MIT
# `make foreign SHIM=DIR` puts a tracer's own code behind the shim DIR/shim.c under the explorer
# (docs/foreign.md); `build/explore --foreign DIR` calls it. DIR/prepare.sh OUT, if it is there, makes
# what the shim includes, and prints flags for the compiler. C++ files beside shim.c are a part of it.

foreign_name := $(notdir $(patsubst %/,%,$(SHIM)))
foreign := $(BUILD)/foreign/$(foreign_name)
# Log2 of the explored memory's bytes, but one; statics that there is room for; bits of its short field.
FOREIGN_SHAPE ?= -DSHAPE_SUBBUF_SHIFT=11 -DSHAPE_COUNT_SHIFT=1 -DSHAPE_BITS=32
foreign_defs = -DROW=$(foreign_name) -DFOREIGN_NAME='"$(foreign_name)"' -DSHAPE=foreign -DSTAMPEDE_EXPLORED \
	-DFOREIGN_SHIM='"shim.c"' -D__thread= -D_Thread_local= $(FOREIGN_SHAPE) $(if $(foreign_cxx),-DFOREIGN_CXX)
foreign_cxx := $(wildcard $(SHIM)/*.cc)
# As runtimes of C++ are compiled; of a guard of a static variable nothing would be known.
foreign_cxxflags = $(EXPLORE_OPT) $(stops_flags) -I$(TREE) -I$(foreign) -fPIC -fvisibility=hidden -fno-exceptions \
	-fno-rtti -fno-threadsafe-statics -Dthread_local= -D__thread= -w

foreign: $(EXPLORED)/ring.o $(EXPLORED)/handover.o
	@[ -f "$(SHIM)/shim.c" ] || { echo "stampede: no $(SHIM)/shim.c: SHIM names a folder with one" >&2; exit 1; }
	@mkdir -p $(foreign)
	@[ ! -f "$(SHIM)/prepare.sh" ] || sh "$(SHIM)/prepare.sh" $(foreign) >$(foreign)/flags
	$(Q)$(EXPLORE_CC) $(EXPLORE_OPT) $(stops_flags) $(explored_flags) -w -fwhole-program $(foreign_defs) \
		-I$(SHIM) -I$(foreign) $$(cat $(foreign)/flags 2>/dev/null) \
		-S explore/stops/row.c -o $(foreign)/in.s
	$(Q)for unit in $(foreign_cxx); do \
		$(EXPLORE_CXX) $(foreign_cxxflags) $$(cat $(foreign)/flags 2>/dev/null) -S $$unit \
			-o $(foreign)/$$(basename $$unit).s || exit; done
	$(Q)$(python) -S -B $(STOPS_PY) $(foreign)/in.s $(patsubst $(SHIM)/%,$(foreign)/%.s,$(foreign_cxx)) \
		$(foreign)/out.s
	$(Q)$(EXPLORE_CC) -c $(foreign)/out.s -o $(foreign)/out.o
	@other=$$(nm -u $(foreign)/out.o | grep -owE 'malloc|calloc|realloc|reallocarray|posix_memalign|mmap|sbrk' | sort -u); \
		[ -z "$$other" ] || { echo "stampede: $(SHIM) has memory that no schedule sets back, by" $$other: \
			"take foreign_memory()" >&2; exit 1; }
	$(Q)objcopy $(foreach section,.bss .data .data.rel .data.rel.local,\
		--set-section-flags $(section)=alloc,load,data,contents --rename-section $(section)=foreign_data) \
		$(foreign)/out.o
	$(Q)$(EXPLORE_CC) -shared -Wl,-z,now -o $(foreign).so $(foreign)/out.o $(EXPLORED)/ring.o $(EXPLORED)/handover.o

.PHONY: foreign
