import { afterAll, describe, expect, test } from 'vitest';
import { stateFolder } from '../../src/storage/data-directory.js';
import { hideLastCommit } from '../storage/hidden-commit.js';
import { Folders, JournalWorld } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const folders = new Folders();
afterAll(() => folders.removeAll());

describe('a turn', () => {
  test('is not taken for read while a command of an earlier release hides it', async () => {
    const world = new JournalWorld(folders.fresh());
    const { reader } = world.main;
    const orders = new ScriptedOrders();
    orders.create();
    world.commit(orders);
    const hidden = orders.create();
    world.commit(orders);
    hideLastCommit(stateFolder(world.dataDir));
    expect([reader.complete(), reader.recent().order(hidden)]).toEqual([null, null]);
    await world.close();
  });
});
