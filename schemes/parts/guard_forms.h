/* SPDX-License-Identifier: MIT */
/* In which form a record of parts/guarded.h is asked for. */
#ifndef STAMPEDE_SCHEMES_PARTS_GUARD_FORMS_H
#define STAMPEDE_SCHEMES_PARTS_GUARD_FORMS_H

enum guarded_form {
	GUARDED_PLAIN, /* guarded_plain() says that it has the plain one */
	GUARDED_ANY, /* what its stamp and id call for */
	GUARDED_FIRST, /* it opens a sub-buffer, whose begin stamp is its own */
};

#endif
