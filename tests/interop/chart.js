/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at a chart from within, as a browser has drawn it 600 pixels wide, and
 * leaves what is wrong in the attribute "seen" of the document, or "all".
 */
(() => {
	const all = (name) => [...document.getElementsByTagName(name)];
	const box = (e) => e.getBoundingClientRect();
	const over = (a, b) =>
		Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
		Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
	const wrong = [];
	const picture = box(document.documentElement);
	const texts = all("text").map((e) => ({ e, box: box(e) }));

	if (Math.abs(picture.width - 600) > 1)
		wrong.push("width " + picture.width);
	for (const { e, box: b } of texts) {
		if (b.left < 0 || b.right > 600 || b.bottom > picture.bottom)
			wrong.push("outside: " + e.textContent);
		/* the height of a line of 9 pixels */
		if (b.height < 9)
			wrong.push("small: " + e.textContent);
	}
	texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
		if (over(a.box, b.box))
			wrong.push(a.e.textContent + " is over " +
				   b.e.textContent);
	}));
	for (const e of all("rect")) {
		const b = box(e);

		if (b.left < 0 || b.right > 601 || b.width < 0.9)
			wrong.push("a bar from " + b.left + " to " + b.right);
		if (getComputedStyle(e).fill === "none")
			wrong.push("a bar without a color");
	}
	if (!texts.length || !all("g").length)
		wrong.push("nothing is drawn");
	document.documentElement.setAttribute("seen",
		wrong.join("; ") || "all");
})();
