# SPDX-License-Identifier: BSD-2-Clause
# make          build ./sgstream
# make demo     install what is missing, build, and show it in the lab
# make check    install what is missing, build, and run every test
# make bench    sgstream against the bare loop and its peers, in one lab boot
# make bench-cost  instructions per command, by count: the bare loop, every engine, the peers
# make torture  ten minutes of faults at random, with every result known
# make fuzz     a minute of hostile input for each thing that reads any
# make lint     layers, shell scripts, static analysis
# make install  PREFIX=/usr/local

VERSION  := 0.1.0
BUILD    ?= build/release
PREFIX   ?= /usr/local
CFLAGS   ?= -O2 -g
SANITIZE ?=
WERROR   ?=
COMMIT   := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

PKGS     := jansson libxxhash smartcols
WARN     := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla
override CFLAGS   += -std=gnu11 -pthread $(WARN) $(WERROR) $(SANITIZE)
override CPPFLAGS += -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iinclude -Isrc
override LDFLAGS  += -pthread $(SANITIZE)
LDLIBS    = -lsgutils2 $(shell pkg-config --libs $(PKGS) $(OPTIONAL)) -lm
GSL       = $(shell pkg-config --libs gsl)
# The program takes its libraries whole: each shared one is a tenth of the time to start.
WHOLE     = -Wl,-Bstatic -lgsl -lgslcblas -lsgutils2 -ljansson -lxxhash $(OPTIONAL:lib%=-l%) \
            -Wl,-Bdynamic -lsmartcols -lm

# A library that may be missing has a file that stands in for the one that needs it.
OPTIONAL := $(shell pkg-config --exists liburing && echo liburing)
STUBS    := $(if $(filter liburing,$(OPTIONAL)),src/engine/io_uring_stub.c,src/engine/io_uring.c)

SOURCES  := $(filter-out $(STUBS),$(wildcard src/*/*.c))
CLI      := $(filter src/cli/%,$(SOURCES))
# What stands on GSL, whose licence is the GPL 3: part of the program, never of the library.
STATS    := $(filter src/stats/% src/compare/% src/tune/% src/capacity/% src/page/% $(foreach r,compare tune capacity,\
              src/report/$r.c src/report/json_$r.c src/report/plot_$r.c),$(SOURCES))
LIB_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(CLI) $(STATS),$(SOURCES)))
CLI_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(CLI))
STATS_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(STATS))
UNITS    := $(patsubst tests/unit/test_%.c,$(BUILD)/tests/test_%,$(wildcard tests/unit/test_*.c))
FUZZERS  := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCHES  := $(patsubst tests/bench/%.c,$(BUILD)/tests/%,$(wildcard tests/bench/*.c))

all: sgstream

sgstream: $(BUILD)/sgstream
	@ln -sf $< $@

$(BUILD)/sgstream: $(CLI_OBJS) $(BUILD)/stats.a $(BUILD)/libsgstream.a
	$(CC) $(LDFLAGS) -o $@ $^ $(WHOLE)

$(BUILD)/libsgstream.a: $(LIB_OBJS)
$(BUILD)/stats.a: $(STATS_OBJS)
$(BUILD)/%.a:
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Only this object knows the version, so that a commit does not rebuild the rest.
$(BUILD)/src/report/version.o: override CPPFLAGS += -DSGS_VERSION='"$(VERSION)"' -DSGS_COMMIT='"$(COMMIT)"'
$(BUILD)/src/report/version.o: $(BUILD)/commit
$(BUILD)/commit: FORCE
	@mkdir -p $(@D); echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' > $@

$(BUILD)/tests/test_%: tests/unit/test_%.c tests/unit/fake_sg.c tests/unit/fake_sg.h $(BUILD)/stats.a $(BUILD)/libsgstream.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(GSL) $(LDLIBS) -lcmocka

$(BUILD)/tests/torture: tests/torture/torture.c tests/unit/fake_sg.c tests/unit/fake_sg.h $(BUILD)/libsgstream.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS) -lcmocka

$(BUILD)/tests/good_digest: tests/torture/good_digest.c $(BUILD)/libsgstream.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(LDLIBS)

$(BUILD)/tests/%: tests/bench/%.c $(wildcard tests/bench/*.h) $(BUILD)/libsgstream.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $(filter-out %.h,$^) $(LDLIBS)

# With CC=clang and SANITIZE=-fsanitize=...,fuzzer-no-link: scripts/fuzz.
$(BUILD)/tests/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h tests/unit/fake_sg.c $(filter-out %/main.o,$(CLI_OBJS)) $(BUILD)/stats.a $(BUILD)/libsgstream.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests/unit -Itests/fuzz $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $(filter-out %.h,$^) $(GSL) $(LDLIBS) -lcmocka

fuzzers: $(FUZZERS)
units: $(UNITS)
benches: $(BENCHES)

demo:
	@scripts/deps build lab demo
	@$(MAKE) --no-print-directory -s sgstream
	@scripts/demo

check:
	@scripts/deps build lab qemu peers ab studies check page
	@scripts/check

bench:
	@scripts/deps build lab peers
	@$(MAKE) --no-print-directory -s sgstream benches
	@scripts/bench

bench-cost:
	@scripts/deps build qemu peers ab
	@$(MAKE) --no-print-directory -s sgstream benches
	@scripts/bench-cost

torture:
	@scripts/deps build lab check
	@$(MAKE) --no-print-directory -s sgstream $(BUILD)/tests/torture $(BUILD)/tests/good_digest
	@scripts/torture

fuzz:
	@scripts/deps build check
	@scripts/fuzz

lint:
	@scripts/deps build check
	@scripts/lint

install: sgstream
	install -D -m 755 $(BUILD)/sgstream $(DESTDIR)$(PREFIX)/bin/sgstream
	install -D -m 644 $(BUILD)/libsgstream.a $(DESTDIR)$(PREFIX)/lib/libsgstream.a
	install -d $(DESTDIR)$(PREFIX)/include/sgstream
	install -m 644 include/sgstream/*.h $(DESTDIR)$(PREFIX)/include/sgstream

clean:
	rm -rf build sgstream

FORCE:
.PHONY: all units benches fuzzers demo check bench bench-cost torture fuzz lint install clean FORCE
.DELETE_ON_ERROR:

-include $(LIB_OBJS:.o=.d) $(CLI_OBJS:.o=.d) $(STATS_OBJS:.o=.d)
