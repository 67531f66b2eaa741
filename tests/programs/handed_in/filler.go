// Answers with the first legal place.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func fits(board, piece []string, x, y int, mine string) bool {
	own := 0
	for down, cells := range piece {
		for right, cell := range cells {
			row, column := y+down, x+right
			if cell != 'O' {
				continue
			}
			if row < 0 || row >= len(board) || column < 0 || column >= len(board[0]) {
				return false
			}
			if strings.IndexByte(mine, board[row][column]) >= 0 {
				own++
			} else if board[row][column] != '.' {
				return false
			}
		}
	}
	return own == 1
}

func answer(board, piece []string, mine string) (int, int) {
	for y := -len(piece); y < len(board); y++ {
		for x := -len(piece[0]); x < len(board[0]); x++ {
			if fits(board, piece, x, y, mine) {
				return x, y
			}
		}
	}
	return 0, 0
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	mine := "$s"
	if strings.Contains(lines.Text(), "p1") {
		mine = "@a"
	}
	for lines.Scan() {
		var width, height int
		fmt.Sscanf(lines.Text(), "Anfield %d %d:", &width, &height)
		lines.Scan()
		board := []string{}
		for row := 0; row < height; row++ {
			lines.Scan()
			board = append(board, lines.Text()[4:])
		}
		var wide, high int
		lines.Scan()
		fmt.Sscanf(lines.Text(), "Piece %d %d:", &wide, &high)
		piece := []string{}
		for row := 0; row < high; row++ {
			lines.Scan()
			piece = append(piece, lines.Text())
		}
		x, y := answer(board, piece, mine)
		fmt.Println(x, y)
	}
}
