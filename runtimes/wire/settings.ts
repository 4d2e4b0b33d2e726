/** SETTINGS (RFC 9113, section 6.5). */
import { ConnectionError, errorCodes, frameSizeError, protocolError } from './errors.ts'
import { defaultMaxFrameSize, largest31 } from './frames.ts'
import { defaultTableSize } from './hpack/dynamic-table.ts'

export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
  /** RFC 8441. */
  enableConnectProtocol: 8,
} as const

export const defaultWindowSize = 65_535
const largestFrameSize = 2 ** 24 - 1
const settingLength = 6

export interface PeerSettings {
  headerTableSize: number
  maxConcurrentStreams: number
  initialWindowSize: number
  maxFrameSize: number
}

export const initialSettings = (): PeerSettings => ({
  headerTableSize: defaultTableSize,
  maxConcurrentStreams: Number.POSITIVE_INFINITY,
  initialWindowSize: defaultWindowSize,
  maxFrameSize: defaultMaxFrameSize,
})

/** Applies each setting; throws when its value is invalid. */
const readers: { readonly [id: number]: (settings: PeerSettings, value: number, largestPush: number) => void } = {
  [settingIds.headerTableSize](settings, value) {
    settings.headerTableSize = value
  },
  [settingIds.enablePush](_settings, value, largestPush) {
    if (value > largestPush) throw protocolError(largestPush === 0 ? 'SETTINGS of a server enable push' : `push can't be ${value}`)
  },
  [settingIds.maxConcurrentStreams](settings, value) {
    settings.maxConcurrentStreams = value
  },
  [settingIds.initialWindowSize](settings, value) {
    if (value > largest31) throw new ConnectionError(errorCodes.flowControlError, `a window can't have ${value} bytes`)
    settings.initialWindowSize = value
  },
  [settingIds.maxFrameSize](settings, value) {
    if (value < defaultMaxFrameSize || value > largestFrameSize) throw protocolError(`a frame can't have ${value} bytes`)
    settings.maxFrameSize = value
  },
}

/**
 * Applies a SETTINGS frame; unknown settings are ignored. `largestPush`: maximum value of
 * SETTINGS_ENABLE_PUSH: 1 for clients, 0 for servers.
 * @throws ConnectionError for values that are not allowed.
 */
export function readSettings(payload: Buffer, settings: PeerSettings, largestPush: 0 | 1): void {
  if (payload.length % settingLength !== 0) throw frameSizeError('SETTINGS are truncated')
  for (let at = 0; at < payload.length; at += settingLength)
    readers[payload.readUInt16BE(at)]?.(settings, payload.readUInt32BE(at + 2), largestPush)
}
