/**
 * Text whose UTF-16 order (JavaScript's `<`) equals the UTF-8 byte order of `key`. The two orders differ only for code units from U+D800 on:
 * surrogates move behind the rest. Each unit maps to one unit, so prefixes stay prefixes.
 */
export function byteOrder(key: string): string {
  if (!/[\ud800-\uffff]/.test(key)) return key
  let ordered = ''
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    ordered += String.fromCharCode(unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
  }
  return ordered
}
