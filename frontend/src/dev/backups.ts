import type { BackupList } from '../shared/api/types';

/** A week of backups. */
export const backups: BackupList = {
  folder: '/home/ana/.local/share/sextant/backups',
  requested: '',
  backups: [7, 6, 5, 4, 3, 2, 1].map((day) => ({
    name: `2026-07-0${day}`,
    time: `2026-07-0${day}T08:12:00Z`,
    size: 41_200_000 + day * 310_000,
  })),
};
