/* Takes the first move that it finds. With INTERACTIVE it asks a person, which nobody can answer in a match. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

#define OWN_ID "TEAM"

static int place(Board *board, int penguins) {
    int own = player_called(board, OWN_ID), placed = 0;
    if (own < 0) {
        own = board->players++;
        strcpy(board->id[own], OWN_ID);
        board->number[own] = own + 1;
    }
    for (int row = 0; row < board->rows; row++)
        for (int column = 0; column < board->columns; column++)
            placed += board->penguin[row][column] == board->number[own];
    if (placed == penguins) return 0;
    for (int row = 0; row < board->rows; row++)
        for (int column = 0; column < board->columns; column++)
            if (is_free(board, row, column) && board->fish[row][column] == 1) {
                board->fish[row][column] = 0;
                board->penguin[row][column] = board->number[own];
                board->score[own]++;
                return 1;
            }
    return 0;
}

static int move(Board *board) {
    static const int down[] = {-1, 1, 0, 0}, right[] = {0, 0, -1, 1};
    int own = player_called(board, OWN_ID);
    for (int row = 0; own >= 0 && row < board->rows; row++)
        for (int column = 0; column < board->columns; column++)
            for (int way = 0; way < 4; way++) {
                int to_row = row + down[way], to_column = column + right[way];
                if (board->penguin[row][column] != board->number[own] || !is_free(board, to_row, to_column)) continue;
                board->score[own] += board->fish[to_row][to_column];
                board->fish[to_row][to_column] = 0;
                board->penguin[to_row][to_column] = board->number[own];
                board->penguin[row][column] = 0;
                return 1;
            }
    return 0;
}

int main(int argc, char *argv[]) {
#ifdef INTERACTIVE
    int row = 0, column = 0;
    printf("Where to? ");
    return scanf("%d %d", &row, &column) == 2 ? 0 : 3;
#else
    static Board board;
    int penguins = 0, is_placement = argc > 1 && strcmp(argv[1], "phase=placement") == 0;
    if (argc == 2 && strcmp(argv[1], "name") == 0) {
        puts(OWN_ID);
        return 0;
    }
    if (argc < 4 || (is_placement && sscanf(argv[2], "penguins=%d", &penguins) != 1)) return 3;
    if (!read_board(&board, argv[argc - 2])) return 2;
    if (!(is_placement ? place(&board, penguins) : move(&board))) return 1;
    return write_board(&board, argv[argc - 1]) ? 0 : 3;
#endif
}
