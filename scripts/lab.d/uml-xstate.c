/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into linux.uml on hosts whose register state is larger than the
 * buffer UML has for it (Intel AMX: 11008 bytes).  Such a host reads registers
 * into a short buffer but writes them from a whole one only, and UML dies at
 * its first return to user space.  The part that UML does not know is left in
 * its initial state: nothing inside can use it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

typedef long ptrace_fn(enum __ptrace_request, pid_t, void *, void *);

static char whole[1 << 16];
static size_t whole_len;

static int too_short(const struct iovec *part, pid_t pid, ptrace_fn *real)
{
	struct iovec all = { whole, sizeof(whole) };

	if (!whole_len && real(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &all) == 0)
		whole_len = all.iov_len;
	return part->iov_len < whole_len;
}

static long set_xstate(const struct iovec *part, pid_t pid, ptrace_fn *real)
{
	struct iovec all = { whole, whole_len };

	memcpy(whole, part->iov_base, part->iov_len);
	memset(whole + part->iov_len, 0, whole_len - part->iov_len);
	return real(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &all);
}

long ptrace(enum __ptrace_request request, ...)
{
	static ptrace_fn *real;
	va_list args;
	pid_t pid;
	void *addr, *data;

	if (!real)
		real = (ptrace_fn *)dlsym(RTLD_NEXT, "ptrace");
	va_start(args, request);
	pid = va_arg(args, pid_t);
	addr = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);

	if (request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE &&
		too_short(data, pid, real))
		return set_xstate(data, pid, real);
	return real(request, pid, addr, data);
}
