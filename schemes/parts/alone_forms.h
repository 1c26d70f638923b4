/* SPDX-License-Identifier: MIT */
/* The form that a record of parts/alone.h is to have. */
#ifndef STAMPEDE_SCHEMES_PARTS_ALONE_FORMS_H
#define STAMPEDE_SCHEMES_PARTS_ALONE_FORMS_H

enum alone_form {
	ALONE_PLAIN, /* alone_plain() says that it has the plain one */
	ALONE_ANY, /* what its stamp and id call for */
	ALONE_FIRST, /* it opens a sub-buffer, whose begin stamp is its own */
};

#endif
