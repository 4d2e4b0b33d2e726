/** A value, or a promise of one. Usually a value, because a promise costs a turn of the microtask queue and a kilobyte. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: synchronously, or when the promise resolves. Errors of `next` are thrown or rejected accordingly. */
export function then<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
