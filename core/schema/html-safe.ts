const html = /[<>&\u2028\u2029]/g

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON as Go writes it, safe in HTML; these characters only occur in strings. */
export const htmlSafe = (json: string): string => json.replace(html, escaped)
