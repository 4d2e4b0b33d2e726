/** A deep copy that nobody can change. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const copy: object = Array.isArray(value) ? [] : {}
  for (const [name, member] of Object.entries(value))
    Object.defineProperty(copy, name, { value: frozen(member), enumerable: true, writable: true, configurable: true })
  return Object.freeze(copy) as T
}
