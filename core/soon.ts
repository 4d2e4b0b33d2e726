/** A value that is there already, or that comes later. Most are there: a promise costs a turn of the microtask queue and a kilobyte. */
export type Soon<T> = T | Promise<T>

/** Continues with a value: at once if it is there. What `next` throws is thrown or rejected accordingly. */
export function then<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
