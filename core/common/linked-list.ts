/** A member of at most one list at a time. */
export interface Linked<T> {
  previous: T | undefined
  next: T | undefined
}

/** A list whose members know their neighbours: adding and removing takes no search and no memory. */
export class LinkedList<T extends Linked<T>> {
  first: T | undefined
  last: T | undefined
  length = 0

  add(member: T): void {
    member.previous = this.last
    member.next = undefined
    if (this.last === undefined) this.first = member
    else this.last.next = member
    this.last = member
    this.length++
  }

  /** `member` must be in this list. */
  remove(member: T): void {
    const { previous, next } = member
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.last = previous
    else next.previous = previous
    member.previous = undefined
    member.next = undefined
    this.length--
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let member = this.first; member !== undefined; member = member.next) yield member
  }
}
