# SPDX-License-Identifier: MIT
# A search in parts on a real Slurm, and on ssh hosts, on this machine. About a minute each, as root,
# and no part of make test.

cluster_rows := packed_word three_read extended_header full_tsc dwcas
cluster_objects := $(cluster_rows:%=$(EXPLORED)/%.page.so)

test-slurm: ##- search in parts on a real Slurm, with a part and the node killed (root)
	@sh runner/packages.sh $(build_packages) slurmctld slurmd slurm-client munge
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore $(cluster_objects)
	@sh tests/cluster/private.sh slurm $(BUILD)

test-parallel: ##- the same by GNU parallel on two ssh hosts, one of which goes away (root)
	@sh runner/packages.sh $(build_packages) parallel openssh-client
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore $(cluster_objects)
	@sh tests/cluster/private.sh parallel $(BUILD)

.PHONY: test-slurm test-parallel
