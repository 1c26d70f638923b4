// SPDX-License-Identifier: MIT
// Sorting by a click or by Enter on a column's title. Without it the page has all the same to say.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
	const body = table.tBodies[0];
	const first = Array.from(body.rows);
	const heads = Array.from(table.tHead.rows[0].cells);
	const value = (row, column) => {
		const cell = row.cells[column];
		if (!("v" in cell.dataset))
			return cell.textContent;
		return cell.dataset.v === "" ? NaN : Number(cell.dataset.v);
	};
	const compare = (a, b) => typeof a === "string" ? a.localeCompare(b) : a - b;
	heads.forEach((head, column) => {
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => {
			const before = head.getAttribute("aria-sort");
			const next = before === "ascending" ? "descending" :
				before === "descending" ? null : "ascending";
			heads.forEach((other) => other.removeAttribute("aria-sort"));
			let rows = first.slice();
			if (next) {
				head.setAttribute("aria-sort", next);
				const sign = next === "ascending" ? 1 : -1;
				// What is not known goes last, whichever way it is sorted.
				const known = (row) => !Number.isNaN(value(row, column));
				rows = first.filter(known).sort((a, b) => sign *
					compare(value(a, column), value(b, column)))
					.concat(first.filter((row) => !known(row)));
			}
			body.append(...rows);
		});
	});
}
