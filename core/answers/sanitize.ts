/** Escapes markup, for browsers that ignore the content type. */
export const sanitize = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
