/** Sets that have one member in most cases, such as the watchers of one object: the member stands for itself. */
export type Group<T extends object> = T | Set<T>

/** The group with one more member. */
export function joined<T extends object>(group: Group<T> | undefined, member: T): Group<T> {
  if (group === undefined || group === member) return member
  return group instanceof Set ? group.add(member) : new Set([group, member])
}

/** The group without the member; undefined: it has no members any more. */
export function left<T extends object>(group: Group<T> | undefined, member: T): Group<T> | undefined {
  if (!(group instanceof Set)) return group === member ? undefined : group
  group.delete(member)
  return group.size === 0 ? undefined : group
}

export function* membersOf<T extends object>(group: Group<T> | undefined): Generator<T> {
  if (group instanceof Set) yield* group
  else if (group !== undefined) yield group
}
