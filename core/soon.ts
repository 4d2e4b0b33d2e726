/** A value, or a promise of one. Usually a value, because a promise costs a turn of the microtask queue and a kilobyte. */
export type Soon<T> = T | Promise<T>

/** Calls `next` with the value: synchronously, or when the promise resolves. Errors of `next` are thrown or rejected accordingly. */
export function then<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
