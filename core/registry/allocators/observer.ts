/** `static`: the client asked for this address or port; `dynamic`: for any. */
export type AllocationScope = 'static' | 'dynamic'

/** Counts allocations of cluster IPs, by range, and of node ports. Dry runs are not counted. */
export interface AllocationObserver {
  readonly addresses: {
    allocated(range: string, scope: AllocationScope, milliseconds: number): void
    failed(range: string, scope: AllocationScope): void
    /** Addresses of the range that are taken, and that are free. */
    used(range: string, taken: number, free: number): void
  }
  readonly ports: {
    allocated(scope: AllocationScope): void
    failed(scope: AllocationScope): void
    used(taken: number, free: number): void
  }
}
